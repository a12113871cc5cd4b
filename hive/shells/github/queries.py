"""What is asked and done in GraphQL because REST cannot."""

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
