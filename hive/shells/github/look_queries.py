"""What a look asks: one document for what is open, one for what is not known of it yet.

The first has no lists within lists, so that it costs a point however much is open (GitHub, "Rate limits and
query limits": a point is a hundred requests for pages, and each list within a list is one request for every
object that it hangs on). The second is asked about what has changed, and about hive's own pull requests,
whose checks change without their ``updatedAt``.
"""

_OPEN = "states: OPEN, orderBy: {field: CREATED_AT, direction: ASC}"
"""The oldest first, so that a new one moves no other to another page."""

_ISSUES = "nodes { id number updatedAt }"

OUTLINE = """
fragment Outline on PullRequest {
  id
  number
  title
  body
  isDraft
  state
  url
  updatedAt
  headRefName
  headRefOid
  baseRefName
  baseRefOid
  headRepository { nameWithOwner }
  author { __typename login }
  authorAssociation
  mergeCommit { oid }
}
"""

OVERVIEW = f"""
query Overview($owner: String!, $name: String!) {{
  rateLimit {{ cost }}
  viewer {{ login }}
  repository(owner: $owner, name: $name) {{
    nameWithOwner
    isArchived
    isDisabled
    hasIssuesEnabled
    pushedAt
    branches: refs(refPrefix: "refs/heads/", first: 1) {{ totalCount }}
    releases(first: 1) {{ totalCount }}
    touched: issues(first: 1, orderBy: {{field: UPDATED_AT, direction: DESC}}) {{
      nodes {{ number updatedAt }}
    }}
    defaultBranchRef {{ name }}
    oldest: issues(first: 100, {_OPEN}) {{ totalCount pageInfo {{ endCursor hasNextPage }} {_ISSUES} }}
    newest: issues(last: 100, {_OPEN}) {{ {_ISSUES} }}
    pulls: pullRequests(first: 100, {_OPEN}) {{
      totalCount
      pageInfo {{ endCursor hasNextPage }}
      nodes {{ ...Outline }}
    }}
    ended: pullRequests(
      first: 30, states: [CLOSED, MERGED], orderBy: {{field: UPDATED_AT, direction: DESC}}
    ) {{ nodes {{ ...Outline }} }}
  }}
}}
{OUTLINE}"""
"""Both ends of the list of issues: two hundred are told at once."""

MORE_ISSUES = f"""
query MoreIssues($owner: String!, $name: String!, $after: String!) {{
  repository(owner: $owner, name: $name) {{
    page: issues(first: 100, after: $after, {_OPEN}) {{
      totalCount
      pageInfo {{ endCursor hasNextPage }}
      {_ISSUES}
    }}
  }}
}}
"""

MORE_PULLS = f"""
query MorePullRequests($owner: String!, $name: String!, $after: String!) {{
  repository(owner: $owner, name: $name) {{
    page: pullRequests(first: 100, after: $after, {_OPEN}) {{
      totalCount
      pageInfo {{ endCursor hasNextPage }}
      nodes {{ ...Outline }}
    }}
  }}
}}
{OUTLINE}"""

ISSUE = """
fragment WholeIssue on Issue {
  number
  updatedAt
  title
  body
  createdAt
  lastEditedAt
  editor { __typename login }
  author { __typename login }
  authorAssociation
  labels(first: 100) { nodes { name } }
  assignees(first: 100) { nodes { __typename login } }
  blockedBy(first: 100) { nodes { number state repository { nameWithOwner } } }
  comments(first: 100) {
    totalCount
    nodes {
      author { __typename login } authorAssociation createdAt lastEditedAt body
      editor { __typename login }
    }
  }
  renamings: timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT]) {
    nodes { ... on RenamedTitleEvent { createdAt actor { __typename login } } }
  }
  labelings: timelineItems(last: 100, itemTypes: [LABELED_EVENT]) {
    pageInfo { hasPreviousPage }
    nodes { ... on LabeledEvent { createdAt actor { __typename login } label { name } } }
  }
}
"""
"""Renamings and labelings apart: no number of the one hides the newest of the other."""

CLAIM = """
fragment Claim on PullRequest {
  number
  labels(first: 100) { nodes { name } }
  closingIssuesReferences(first: 100) {
    pageInfo { hasNextPage }
    nodes { number state repository { nameWithOwner } }
  }
}
"""
"""What is asked of every pull request, whoever opened it."""

_CONTEXTS = """contexts(first: 100) {
    totalCount
    pageInfo { hasNextPage }
    nodes {
      __typename
      ... on CheckRun {
        databaseId name status conclusion startedAt completedAt checkSuite { app { databaseId slug } }
      }
      ... on StatusContext { context state createdAt }
    }
  }"""

JUDGED = f"""
fragment Judged on PullRequest {{
  id
  number
  updatedAt
  headRefOid
  mergeable
  changedFiles
  labels(first: 100) {{ nodes {{ name }} }}
  commits(last: 1) {{ nodes {{ commit {{ oid statusCheckRollup {{ {_CONTEXTS} }} }} }} }}
  reviews(first: 100) {{
    pageInfo {{ hasNextPage }}
    nodes {{ author {{ __typename login }} authorAssociation state submittedAt commit {{ oid }} }}
  }}
  reviewThreads(first: 100) {{
    pageInfo {{ endCursor hasNextPage }}
    nodes {{ isResolved }}
  }}
  reviewDecision
  mergeQueueEntry {{ position state }}
  removed: timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {{
    nodes {{ ... on RemovedFromMergeQueueEvent {{ reason }} }}
  }}
}}
"""
"""What the merge gate judges and what may change from look to look."""

CHANGE = """
fragment Change on PullRequest {
  number
  files(first: 100) {
    pageInfo { hasNextPage }
    nodes { path changeType }
  }
  labelings: timelineItems(last: 100, itemTypes: [LABELED_EVENT]) {
    pageInfo { hasPreviousPage }
    nodes { ... on LabeledEvent { createdAt actor { __typename login } label { name } } }
  }
}
"""
"""What stays as long as nothing happens to the pull request and to its base."""

MORE_THREADS = """
query MoreThreads($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequest {
      reviewThreads(first: 100, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes { isResolved }
      }
    }
  }
}
"""

BASE = f"""
fragment Base on Ref {{
  target {{ oid ... on Commit {{ statusCheckRollup {{ {_CONTEXTS} }} }} }}
  refUpdateRule {{
    requiredApprovingReviewCount
    requiredStatusCheckContexts
    requiresCodeOwnerReviews
    requiresConversationResolution
    requiresLinearHistory
    requiresSignatures
  }}
  branchProtectionRule {{
    requiredApprovingReviewCount
    requiresCodeOwnerReviews
    requireLastPushApproval
    requiresConversationResolution
    requiresLinearHistory
    requiresCommitSignatures
    requiresStrictStatusChecks
    requiredDeploymentEnvironments
    requiredStatusChecks {{ context app {{ databaseId }} }}
    lockBranch
  }}
  rules(first: 100) {{
    pageInfo {{ hasNextPage }}
    nodes {{ type parameters {{
      __typename
      ... on PullRequestParameters {{
        allowedMergeMethods
        requireCodeOwnerReview
        requireLastPushApproval
        requiredApprovingReviewCount
        requiredReviewThreadResolution
      }}
      ... on RequiredStatusChecksParameters {{
        requiredStatusChecks {{ context integrationId }}
        strictRequiredStatusChecksPolicy
      }}
    }} }}
  }}
}}
"""
"""A branch that is merged into. Who is no administrator sees no `branchProtectionRule`, and of classic
protection only what `refUpdateRule` has (documented)."""

VIEWER = "query Viewer { viewer { login } }"

PULL_REQUEST = f"""
query PullRequest($owner: String!, $name: String!, $number: Int!) {{
  viewer {{ login }}
  repository(owner: $owner, name: $name) {{
    nameWithOwner
    pull: pullRequest(number: $number) {{ ...Outline }}
  }}
}}
{OUTLINE}"""
