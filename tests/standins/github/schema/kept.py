"""Which parts of GitHub's descriptions the stand-in serves: REST operations and GraphQL types."""

_REPO = "/repos/{owner}/{repo}"
_ISSUE = _REPO + "/issues/{issue_number}"
_PULL = _REPO + "/pulls/{pull_number}"

OPERATIONS = (
    "GET /user",
    "GET /users/{username}",
    "GET /rate_limit",
    "GET /search/issues",
    f"GET {_REPO}",
    f"GET {_REPO}/issues",
    f"POST {_REPO}/issues",
    f"GET {_ISSUE}",
    f"PATCH {_ISSUE}",
    f"GET {_ISSUE}/comments",
    f"POST {_ISSUE}/comments",
    f"GET {_REPO}/issues/comments/{{comment_id}}",
    f"PATCH {_REPO}/issues/comments/{{comment_id}}",
    f"GET {_ISSUE}/labels",
    f"POST {_ISSUE}/labels",
    f"PUT {_ISSUE}/labels",
    f"DELETE {_ISSUE}/labels/{{name}}",
    f"GET {_ISSUE}/events",
    f"GET {_ISSUE}/timeline",
    f"POST {_ISSUE}/assignees",
    f"DELETE {_ISSUE}/assignees",
    f"GET {_REPO}/labels",
    f"POST {_REPO}/labels",
    f"GET {_REPO}/labels/{{name}}",
    f"PATCH {_REPO}/labels/{{name}}",
    f"GET {_REPO}/pulls",
    f"POST {_REPO}/pulls",
    f"GET {_PULL}",
    f"PATCH {_PULL}",
    f"GET {_PULL}/files",
    f"GET {_PULL}/commits",
    f"PUT {_PULL}/merge",
    f"GET {_PULL}/reviews",
    f"POST {_PULL}/reviews",
    f"GET {_PULL}/comments",
    f"GET {_PULL}/requested_reviewers",
    f"POST {_PULL}/requested_reviewers",
    f"DELETE {_PULL}/requested_reviewers",
    f"GET {_REPO}/commits",
    f"GET {_REPO}/commits/{{ref}}",
    f"GET {_REPO}/commits/{{ref}}/check-runs",
    f"GET {_REPO}/commits/{{ref}}/status",
    f"GET {_REPO}/commits/{{ref}}/statuses",
    f"POST {_REPO}/statuses/{{sha}}",
    f"POST {_REPO}/check-runs",
    f"GET {_REPO}/check-runs/{{check_run_id}}",
    f"PATCH {_REPO}/check-runs/{{check_run_id}}",
    f"GET {_REPO}/branches",
    f"GET {_REPO}/branches/{{branch}}",
    f"GET {_REPO}/git/ref/{{ref}}",
    f"GET {_REPO}/git/matching-refs/{{ref}}",
    f"POST {_REPO}/git/refs",
    f"PATCH {_REPO}/git/refs/{{ref}}",
    f"GET {_REPO}/contents/{{path}}",
    f"GET {_REPO}/compare/{{basehead}}",
    f"GET {_REPO}/collaborators/{{username}}/permission",
)
"""`METHOD /path` as the official description writes it."""

_TYPES = """
Query Mutation Node Actor RepositoryOwner ProfileOwner Assignable Closable Comment Labelable Lockable
RepositoryNode RequirableByPullRequest UniformResourceLocatable GitObject RepositoryInfo User Bot
Organization Mannequin EnterpriseUserAccount Team App RateLimit UserConnection UserEdge Repository
RepositoryConnection RepositoryEdge Ref RefConnection RefEdge Language License Release ReleaseConnection
ReleaseEdge CodeOfConduct IssueTemplate PullRequestTemplate RepositoryTopic Topic
RepositoryTopicConnection RepositoryTopicEdge LanguageConnection LanguageEdge RepositoryContactLink
FundingLink BranchProtectionRule MergeQueue Blob Tree TreeEntry Tag Issue IssueConnection IssueEdge
IssueOrPullRequest SubIssuesSummary LinkedBranch LinkedBranchConnection LinkedBranchEdge IssueComment
IssueCommentConnection IssueCommentEdge PullRequest PullRequestConnection PullRequestEdge
PullRequestReview PullRequestReviewConnection PullRequestReviewEdge PullRequestCommit
PullRequestCommitConnection PullRequestCommitEdge PullRequestChangedFile PullRequestChangedFileConnection
PullRequestChangedFileEdge ReviewRequest ReviewRequestConnection ReviewRequestEdge RequestedReviewer
AutoMergeRequest MergeQueueEntry PullRequestReviewThread PullRequestReviewThreadConnection
PullRequestReviewThreadEdge PullRequestReviewComment PullRequestReviewCommentConnection
PullRequestReviewCommentEdge SuggestedReviewer Label LabelConnection LabelEdge Milestone
MilestoneConnection MilestoneEdge ReactionGroup ReactorConnection ReactionConnection
ReactingUserConnection PageInfo Assignee ProjectCard ProjectCardConnection ProjectCardEdge Project
ProjectColumn ProjectConnection ProjectEdge ProjectV2 ProjectV2Item ProjectV2ItemConnection
ProjectV2ItemEdge ProjectV2Connection ProjectV2Edge ProjectV2ItemFieldValue
ProjectV2ItemFieldSingleSelectValue Commit CommitConnection CommitEdge GitActor GitActorConnection
GitActorEdge CommitHistoryConnection Status StatusContext StatusCheckRollup StatusCheckRollupContext
StatusCheckRollupContextConnection StatusCheckRollupContextEdge CheckRun CheckRunConnection CheckRunEdge
CheckSuite CheckSuiteConnection CheckSuiteEdge Workflow WorkflowRun CheckRunStateCount
StatusContextStateCount SearchResultItem SearchResultItemConnection SearchResultItemEdge LabeledEvent
UnlabeledEvent ClosedEvent ReopenedEvent MergedEvent RenamedTitleEvent AssignedEvent
HeadRefForcePushedEvent ReadyForReviewEvent ConvertToDraftEvent ReviewRequestedEvent Closer
IssueTimelineItems IssueTimelineItemsConnection IssueTimelineItemsEdge PullRequestTimelineItems
PullRequestTimelineItemsConnection PullRequestTimelineItemsEdge AddCommentPayload CreateIssuePayload
UpdateIssuePayload CloseIssuePayload ReopenIssuePayload AddLabelsToLabelablePayload
RemoveLabelsFromLabelablePayload AddAssigneesToAssignablePayload RemoveAssigneesFromAssignablePayload
CreatePullRequestPayload UpdatePullRequestPayload ClosePullRequestPayload ReopenPullRequestPayload
MergePullRequestPayload EnablePullRequestAutoMergePayload DisablePullRequestAutoMergePayload
MarkPullRequestReadyForReviewPayload ConvertPullRequestToDraftPayload AddPullRequestReviewPayload
RequestReviewsPayload UpdateIssueCommentPayload DeleteIssueCommentPayload
"""
_QUERIES = "id relay node nodes rateLimit repository repositoryOwner organization user viewer search resource"
_MUTATIONS = """
addComment createIssue updateIssue closeIssue reopenIssue addLabelsToLabelable removeLabelsFromLabelable
addAssigneesToAssignable removeAssigneesFromAssignable createPullRequest updatePullRequest
closePullRequest reopenPullRequest mergePullRequest enablePullRequestAutoMerge disablePullRequestAutoMerge
markPullRequestReadyForReview convertPullRequestToDraft addPullRequestReview requestReviews
updateIssueComment deleteIssueComment
"""

KEPT_TYPES = frozenset(_TYPES.split())
"""GraphQL objects, interfaces and unions that stay; what their fields and arguments need comes along."""

KEPT_FIELDS = {
    "Query": frozenset(_QUERIES.split()),
    "Mutation": frozenset(_MUTATIONS.split()),
}
"""For these GraphQL types, the only fields that stay."""
