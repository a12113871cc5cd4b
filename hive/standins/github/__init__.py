"""A GitHub that fits in one process: REST, GraphQL and git over real bare repositories.

`python -m hive.standins.github --root DIR` serves it; `process.start` does so from Python.  Merges,
conflicts, diffs and heads are git's own; everything else is kept in one SQLite file, so that a killed
stand-in comes back with the state that it last answered with.

    wire, urls, service       HTTP: requests in, the right part's responses out
    rest/, graphql/, githttp  the three interfaces, each a thin way to the rules
    issues, labels, pulls, reviews, threads, checks, relations, actions   what people, bots and CI do
    merging, auto_merge, merge_queue, settling, refs, writing   what moves branches
    rules, enforcing, codeowners, pushing_rules   protection and rulesets, kept at merges and pushes
    access, apps, grants, limits, failures   who may what, how often, and how a refusal is said
    hooks, announcing         webhooks: registered, signed, sent, sent again
    clock                     the present, which a test can set
    acting, bulk              for tests: people and CI without HTTP, and many repositories at once
    forge, store, records     what is remembered
    gitrepo, diffs            what git is asked
    runner                    a check command on each merge result
    seed, seed_reading        the first state, from a file
    control, faults           the stand-in's own endpoints: state, audit, scripted faults
    process                   starting it from Python
"""
