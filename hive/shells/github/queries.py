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
      comments(first: 100) {
        nodes { author { __typename login } authorAssociation createdAt lastEditedAt body }
      }
      renamings: timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT]) {
        nodes { ... on RenamedTitleEvent { createdAt } }
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

PULL_REQUEST_ID = """
query PullRequestId($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { id }
  }
}
"""
