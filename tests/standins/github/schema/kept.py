"""Which parts of GitHub's descriptions the stand-in serves: REST operations and GraphQL types."""

_REPO = "/repos/{owner}/{repo}"
_ISSUE = _REPO + "/issues/{issue_number}"
_PULL = _REPO + "/pulls/{pull_number}"
_BRANCH = _REPO + "/branches/{branch}"

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
    "GET /app",
    "GET /app/installations",
    "GET /app/installations/{installation_id}",
    "POST /app/installations/{installation_id}/access_tokens",
    f"GET {_REPO}/installation",
    "GET /installation/repositories",
    "GET /user/repos",
    "GET /orgs/{org}/repos",
    "GET /orgs/{org}/teams",
    "GET /orgs/{org}/teams/{team_slug}/members",
    f"GET {_BRANCH}/protection",
    f"PUT {_BRANCH}/protection",
    f"DELETE {_BRANCH}/protection",
    f"GET {_BRANCH}/protection/required_status_checks",
    f"GET {_REPO}/rules/branches/{{branch}}",
    f"GET {_REPO}/rulesets",
    f"POST {_REPO}/rulesets",
    f"GET {_REPO}/rulesets/{{ruleset_id}}",
    f"PUT {_REPO}/rulesets/{{ruleset_id}}",
    f"DELETE {_REPO}/rulesets/{{ruleset_id}}",
    f"POST {_PULL}/comments",
    f"POST {_PULL}/comments/{{comment_id}}/replies",
    f"GET {_REPO}/pulls/comments",
    f"GET {_REPO}/pulls/comments/{{comment_id}}",
    f"PATCH {_REPO}/pulls/comments/{{comment_id}}",
    f"DELETE {_REPO}/pulls/comments/{{comment_id}}",
    f"GET {_PULL}/reviews/{{review_id}}",
    f"PUT {_PULL}/reviews/{{review_id}}",
    f"DELETE {_PULL}/reviews/{{review_id}}",
    f"GET {_PULL}/reviews/{{review_id}}/comments",
    f"PUT {_PULL}/reviews/{{review_id}}/dismissals",
    f"POST {_PULL}/reviews/{{review_id}}/events",
    f"PUT {_PULL}/update-branch",
    f"GET {_REPO}/issues/events",
    f"GET {_REPO}/issues/comments",
    f"GET {_REPO}/events",
    f"PUT {_ISSUE}/lock",
    f"DELETE {_ISSUE}/lock",
    f"GET {_ISSUE}/dependencies/blocked_by",
    f"POST {_ISSUE}/dependencies/blocked_by",
    f"DELETE {_ISSUE}/dependencies/blocked_by/{{issue_id}}",
    f"GET {_ISSUE}/dependencies/blocking",
    f"GET {_ISSUE}/sub_issues",
    f"POST {_ISSUE}/sub_issues",
    f"DELETE {_ISSUE}/sub_issue",
    f"GET {_ISSUE}/parent",
    "GET /orgs/{org}/issue-types",
    f"GET {_REPO}/assignees",
    f"GET {_REPO}/milestones",
    f"POST {_REPO}/milestones",
    f"GET {_REPO}/milestones/{{milestone_number}}",
    f"PATCH {_REPO}/milestones/{{milestone_number}}",
    f"PUT {_REPO}/contents/{{path}}",
    f"DELETE {_REPO}/contents/{{path}}",
    f"POST {_REPO}/git/blobs",
    f"GET {_REPO}/git/blobs/{{file_sha}}",
    f"POST {_REPO}/git/trees",
    f"GET {_REPO}/git/trees/{{tree_sha}}",
    f"POST {_REPO}/git/commits",
    f"GET {_REPO}/git/commits/{{commit_sha}}",
    f"GET {_REPO}/commits/{{ref}}/check-suites",
    f"GET {_REPO}/check-suites/{{check_suite_id}}",
    f"POST {_REPO}/check-suites/{{check_suite_id}}/rerequest",
    f"POST {_REPO}/check-runs/{{check_run_id}}/rerequest",
    f"GET {_REPO}/check-runs/{{check_run_id}}/annotations",
    f"GET {_REPO}/commits/{{commit_sha}}/pulls",
    f"GET {_REPO}/actions/runs",
    f"GET {_REPO}/actions/runs/{{run_id}}",
    f"GET {_REPO}/actions/runs/{{run_id}}/jobs",
    f"POST {_REPO}/actions/runs/{{run_id}}/rerun",
    f"POST {_REPO}/actions/runs/{{run_id}}/rerun-failed-jobs",
    f"POST {_REPO}/actions/runs/{{run_id}}/cancel",
    f"POST {_REPO}/actions/jobs/{{job_id}}/rerun",
    f"GET {_REPO}/actions/jobs/{{job_id}}",
    f"GET {_REPO}/actions/workflows",
    f"GET {_REPO}/actions/workflows/{{workflow_id}}",
    f"GET {_REPO}/hooks",
    f"POST {_REPO}/hooks",
    f"GET {_REPO}/hooks/{{hook_id}}",
    f"PATCH {_REPO}/hooks/{{hook_id}}",
    f"DELETE {_REPO}/hooks/{{hook_id}}",
    f"GET {_REPO}/hooks/{{hook_id}}/deliveries",
    f"GET {_REPO}/hooks/{{hook_id}}/deliveries/{{delivery_id}}",
    f"POST {_REPO}/hooks/{{hook_id}}/deliveries/{{delivery_id}}/attempts",
    "GET /app/hook/deliveries",
    f"POST {_REPO}/forks",
    f"GET {_REPO}/forks",
    "GET /search/repositories",
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
RefUpdateRule BranchProtectionRuleConnection BranchProtectionRuleEdge RequiredStatusCheckDescription
RepositoryRuleset RepositoryRulesetConnection RepositoryRulesetEdge RepositoryRule RepositoryRuleConnection
RepositoryRuleEdge RuleParameters RequiredStatusChecksParameters StatusCheckConfiguration
PullRequestParameters MergeQueueParameters RepositoryRuleConditions RefNameConditionTarget RuleSource
MergeQueueConfiguration MergeQueueEntryConnection MergeQueueEntryEdge TeamConnection TeamEdge
ReviewDismissedEvent ReviewRequestRemovedEvent HeadRefDeletedEvent BaseRefChangedEvent UnassignedEvent
AutoMergeEnabledEvent AutoMergeDisabledEvent AddedToMergeQueueEvent RemovedFromMergeQueueEvent LockedEvent
UnlockedEvent MilestonedEvent DemilestonedEvent MarkedAsDuplicateEvent
AddPullRequestReviewThreadPayload AddPullRequestReviewThreadReplyPayload AddPullRequestReviewCommentPayload
ResolveReviewThreadPayload UnresolveReviewThreadPayload SubmitPullRequestReviewPayload
DismissPullRequestReviewPayload DeletePullRequestReviewPayload DeletePullRequestReviewCommentPayload
UpdatePullRequestReviewPayload UpdatePullRequestReviewCommentPayload UpdatePullRequestBranchPayload
EnqueuePullRequestPayload DequeuePullRequestPayload LockLockablePayload UnlockLockablePayload
TransferIssuePayload AddSubIssuePayload RemoveSubIssuePayload
RevertPullRequestPayload CreateRefPayload UpdateRefPayload DeleteRefPayload
CreateCommitOnBranchPayload CreateLinkedBranchPayload MergeBranchPayload ClearLabelsFromLabelablePayload
"""
_QUERIES = "id relay node nodes rateLimit repository repositoryOwner organization user viewer search resource"
_MUTATIONS = """
addComment createIssue updateIssue closeIssue reopenIssue addLabelsToLabelable removeLabelsFromLabelable
addAssigneesToAssignable removeAssigneesFromAssignable createPullRequest updatePullRequest
closePullRequest reopenPullRequest mergePullRequest enablePullRequestAutoMerge disablePullRequestAutoMerge
markPullRequestReadyForReview convertPullRequestToDraft addPullRequestReview requestReviews
updateIssueComment deleteIssueComment addPullRequestReviewThread addPullRequestReviewThreadReply
addPullRequestReviewComment resolveReviewThread unresolveReviewThread submitPullRequestReview
dismissPullRequestReview deletePullRequestReview deletePullRequestReviewComment updatePullRequestReview
updatePullRequestReviewComment updatePullRequestBranch enqueuePullRequest dequeuePullRequest lockLockable
unlockLockable transferIssue addSubIssue removeSubIssue
revertPullRequest createRef updateRef deleteRef createCommitOnBranch createLinkedBranch mergeBranch
clearLabelsFromLabelable
"""

KEPT_TYPES = frozenset(_TYPES.split())
"""GraphQL objects, interfaces and unions that stay; what their fields and arguments need comes along."""

KEPT_FIELDS = {
    "Query": frozenset(_QUERIES.split()),
    "Mutation": frozenset(_MUTATIONS.split()),
}
"""For these GraphQL types, the only fields that stay."""
