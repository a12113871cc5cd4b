"""What is asked in GraphQL: things that REST does not tell, or only one by one."""

ISSUE_HISTORIES = """
query IssueHistories($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Issue {
      number
      updatedAt
      title
      body
      lastEditedAt
      editor { __typename login }
      comments(first: 100) {
        nodes { author { __typename login } authorAssociation createdAt lastEditedAt body }
      }
      renamings: timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT]) {
        nodes { ... on RenamedTitleEvent { createdAt actor { __typename login } } }
      }
      labelings: timelineItems(last: 100, itemTypes: [LABELED_EVENT]) {
        nodes { ... on LabeledEvent { createdAt actor { __typename login } label { name } } }
      }
    }
  }
}
"""

REVIEW_THREADS = """
query ReviewThreads($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on PullRequest {
      number
      reviewThreads(first: 100) {
        nodes { isResolved }
        pageInfo { hasNextPage }
      }
    }
  }
}
"""

CONVERSATIONS = """
query Conversations($owner: String!, $name: String!) {{
  repository(owner: $owner, name: $name) {{
    {asked}
  }}
}}

fragment Conversation on PullRequest {{
  reviews(last: 100) {{
    pageInfo {{ hasPreviousPage }}
    nodes {{
      author {{ __typename login }} authorAssociation state submittedAt body commit {{ oid }}
    }}
  }}
  reviewThreads(first: 100) {{
    pageInfo {{ hasNextPage }}
    nodes {{
      path line isResolved isOutdated
      comments(first: 1) {{ nodes {{ ...Words }} }}
      newest: comments(last: 49) {{ nodes {{ ...Words }} }}
    }}
  }}
}}

fragment Words on PullRequestReviewComment {{
  databaseId author {{ __typename login }} authorAssociation createdAt body
}}
"""
"""Reviews and threads of pull requests, each under an alias (`asked`). Of a thread the first comment and the
newest: the first is what replies go to."""

PULL_REQUEST_ID = """
query PullRequestId($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { id }
  }
}
"""

BASES = """
query Bases($owner: String!, $name: String!) {{
  repository(owner: $owner, name: $name) {{
    {asked}
  }}
}}

fragment Base on Ref {{
  target {{ oid ... on Commit {{ statusCheckRollup {{ contexts(first: 100) {{
    pageInfo {{ hasNextPage }}
    nodes {{
      __typename
      ... on CheckRun {{
        databaseId name status conclusion completedAt checkSuite {{ app {{ databaseId slug }} }}
      }}
      ... on StatusContext {{ context state createdAt }}
    }}
  }} }} }} }}
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

fragment InQueue on PullRequest {{
  reviewDecision
  mergeQueueEntry {{ position state }}
  timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {{
    nodes {{ ... on RemovedFromMergeQueueEvent {{ reason }} }}
  }}
}}
"""
"""Branches that are merged into, and pull requests, each under an alias (`asked`). Who is no administrator
sees no `branchProtectionRule`, and of classic protection only what `refUpdateRule` has (documented)."""

ENQUEUE = """
mutation Enqueue($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { clientMutationId }
}
"""

DEQUEUE = """
mutation Dequeue($id: ID!) {
  dequeuePullRequest(input: {id: $id}) { clientMutationId }
}
"""

REVERT = """
mutation Revert($id: ID!, $title: String!, $body: String!) {
  revertPullRequest(input: {pullRequestId: $id, title: $title, body: $body}) {
    revertPullRequest { number }
  }
}
"""
