import type { SkillName } from "./skills.ts";

/** The instructions of one task: what to do in order, how the answer is judged, one worked example. The schema is added to them. */
export const SKILL_PROMPTS: Readonly<Record<SkillName, string>> = {
  conduct_interview: `List the features that the requirements mention.
1. Take each feature once. Use the id of a known feature when it is the same one.
2. Mark it as future only if the person says that it comes later.
3. For a future feature name the parts of the design that it would change.
The answer is good if no feature is missing and none is invented. An empty list is right when no feature is mentioned.
Example: "We start with invoices; several tenants come next year" has two features: invoices, not future; multi_tenancy, future, which affects the data model, authentication and the API.`,

  synthesize_spec: `Write the specification that satisfies the requirements.
1. Model the data: each field has a type of the language that the person chose, and its constraints.
2. Give each interface its methods, with parameters and results that use these types.
3. State every constraint as one sentence that can be true or false.
4. Derive claims from the constraints. A claim is testable if a program can check it through the interfaces.
5. Where the requirements leave something open, decide and list the decision.
If there is an earlier specification, change only what its feedback or report asks for, and leave the sections that stay as they are. If there are challenges, answer each by its id.
The answer is good if an auditor finds no contradiction and every core feature can be built from the interfaces.
Example: "Nobody may overdraw an account" gives a field balance with the constraint non_negative, a method withdraw that reports an error, and the claim balance_001, "The balance of an account is never negative", an invariant that is testable.`,

  audit_proposal: `Try to break the proposal before it is built.
1. Compare it with each requirement and each decision: what is missing or different?
2. Look for statements that cannot all be true, types without a definition, and methods that nothing can call.
3. Check that each testable claim can be observed through the interfaces.
A challenge is blocking if the system could not be built as written, otherwise a warning. It names the entry and the smallest repair. Matters of taste are no challenge; an empty list is right when nothing is wrong.
Example: the claim "A transfer never loses money" is testable, but no method returns a balance. Challenge in claims, blocking; suggestion: add getBalance to the interface.`,

  generate_witness: `Find the invariants that a type of its own can carry, and define these types.
1. Read the constraints of the data models and the claims.
2. Define a type for each invariant of one value that several functions rely on.
3. Write the invariant as a boolean expression of the target language over \`value\`.
4. Give each type at least one safe constructor.
The definitions are compiled. One type per invariant is better than one for all; no type is right when no value has an invariant.
Example: a balance that is never negative becomes NonNegativeAmount over number, with the invariant \`value >= 0\` and the safe constructor nonNegativeAmount.`,

  scaffold_module: `Write the skeleton of all modules: types, signatures and contracts, no logic.
1. Put data types into src/domain and interfaces into src/services, in the form that the language target gives.
2. Make every function body exactly the hole marker.
3. Give every function a contract as its doc comment: REQUIRES, ENSURES, INVARIANT, COMPLEXITY, PURITY, CLAIM_REF.
4. Refer to each testable claim from at least one contract.
5. Give core features functions, foundational ones only types and extension points, bolt-ons nothing.
If there are compiler errors, correct each of them.
The skeleton is compiled. Logic in a body, a hole without a contract and a claim without a reference are refused.
Example of a contract: "REQUIRES: amount > 0", "ENSURES: result.balance === account.balance + amount", "PURITY: pure", "CLAIM_REF: deposit_001".`,

  audit_composition: `Look for contradictions that appear only when constraints and contracts are combined.
1. The item "Task" says which kind you look for. Combine the entries that speak about the same time, resource, value or state.
2. Search for the shortest sequence of calls or events in which they cannot all hold.
3. Report a contradiction only with such a sequence and with the entries that it involves.
If contradictions are given, judge each of them instead: it holds if its sequence really breaks an entry.
It is critical if the system cannot be built as specified, otherwise a warning. An empty list is right when everything fits.
Example: "A session ends after 30 minutes", "An export takes up to two hours", "Reading an export needs a session". Sequence: log in, start an export, wait two hours, read it: refused.`,

  implement_atomic: `Output the function body only.
A call that breaks a REQUIRES clause must throw.
Use no imports.`,

  parse_claims: `Give each claim the form from which a test can be made.
1. Name its subject: the function, as in deposit or Account.deposit, or the type that it is about.
2. Restate what must hold as a predicate, without adding or leaving out a condition, as an expression of the language over what the function takes and returns. For a negative claim it is what a call needs: a call that breaks it must fail.
3. Say in which scope it must hold, what must be replaced by a test double, and which generators supply values.
4. If one call cannot show it, add a test: inputs by type, setup, operations that are calls, and what to assert; a call that returns new state has an \`update\`. The last operation of a negative claim must fail where its \`when\` holds; a temporal claim has steps of the clock and may use \`now\`; a performance claim has a bound and a setup over \`n\`.
5. If no program can check it through the public interfaces, mark it as not testable.
If there are objections to the last form, repair each.
A claim whose predicate says less than its text is refused.
Example: "Deposits and withdrawals of the same amount cancel out" is about Account; after a deposit and a withdrawal of one amount the balance is the one before; it holds for all accounts and positive amounts.`,

  audit_claims: `Decide of each claim whether its structured form says the same as its text.
1. Restate the form as a sentence, and compare it with the text word by word.
2. Look for a case that satisfies one and violates the other: a missing condition, a wider or narrower scope, another subject.
3. Check that subject and predicate use names of the signatures in the way the contracts define them.
The form is not faithful only if you can name such a case; give it as the reason. A test is made from every form that you accept.
Example: the text "A refund never exceeds the payment" and the predicate "refund < payment" differ for a full refund, which the text allows.`,

  detect_smells: `Find smells of the catalog in the function.
1. Compare the function with the description of each smell that you are given.
2. Report a smell only where you can point to the lines.
3. Report no smell that is not in the catalog.
Measured smells are known already; an empty list is right when there is no other one.
Example: 86400 appears three times without a name: magic-values, at those lines.`,

  apply_pattern: `Apply the pattern to the function and change nothing else.
1. Keep the signature, the contract and every observable behaviour, errors included.
2. The item that describes the pattern is your instruction; if one of its guards applies, name that guard instead of a function.
3. Otherwise return the whole function, and declarations only if the pattern needs new ones.
The result is compiled and tested; if anything fails, the function stays as it was.
Example: early-return turns "if (ok) { work(); return 1; } return 0;" into "if (!ok) return 0; work(); return 1;".`,

  audit_transform: `Decide whether the two versions of the function behave the same.
1. Compare results, errors, order of effects and mutation of arguments, for all inputs that the contract allows.
2. Look at the edges: empty, zero, negative, missing, very large.
3. Say that they differ only with an input that shows it.
Style and speed do not matter.
Example: replacing "a || b" by "a ?? b" differs for a = 0.`,
};
