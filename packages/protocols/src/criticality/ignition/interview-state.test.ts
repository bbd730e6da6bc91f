import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyAnswer, type InterviewAnswer } from "./apply-answer.ts";
import { COMMAND_HELP, COMMAND_LINE, readAnswer } from "./commands.ts";
import { answerTo, firstState, interviewStateSchema, isAnswered, mayDelegate, reopened, type InterviewState } from "./interview-state.ts";
import { nextQuestion } from "./next-question.ts";
import {
  INTERVIEW_PHASES,
  PHASE_END_CHOICES,
  INTERVIEW_TITLES,
  QUESTION_IDS,
  QUESTIONS,
  questionsOf,
  type InterviewPhase,
} from "./questions.ts";
import { resumeSummary } from "./resume-summary.ts";

const start = () => firstState({ project: "payments", idea: null });
const text = (said: string): InterviewAnswer => ({ kind: "text", text: said });
const read = (state: InterviewState, phase: InterviewPhase, features: readonly [string, boolean][] = []) =>
  applyAnswer(state, {
    kind: "extracted",
    phase,
    features: features.map(([id, future]) => ({
      id,
      phase,
      description: id,
      affects: ["data model"],
      classification: future ? "open" : "core",
    })),
  });

/** Answers whatever is asked, until `stop`. */
function play(state: InterviewState, stop: (state: InterviewState) => boolean = () => false): InterviewState {
  for (let turns = 0; turns < 100 && !stop(state); turns++) {
    const step = nextQuestion(state);
    if (step.kind === "done") break;
    if (step.kind === "extract") state = read(state, step.phase);
    else if (step.kind === "ask") state = applyAnswer(state, text(`answer to ${step.question.id}`));
    else if (step.kind === "classify") state = applyAnswer(state, { kind: "classified", classification: "foundational" });
    else if (step.kind === "confirm") state = applyAnswer(state, { kind: "confirmed" });
    else if (step.kind === "choose") state = applyAnswer(state, { kind: "kept", all: false });
    else state = applyAnswer(state, { kind: "continued" });
  }
  return state;
}

const untilPhase = (phase: InterviewPhase) => play(start(), (state) => state.interviewPhase === phase && state.stage === "questions");
const asks = (state: InterviewState) => {
  const step = nextQuestion(state);
  return step.kind === "ask" ? step.question.id : step.kind;
};

describe("[CRI-016] the interview", () => {
  test("has four phases with these topics, in this order", () => {
    expect(INTERVIEW_PHASES.map((phase) => [INTERVIEW_TITLES[phase].title, questionsOf(phase).map(({ topic }) => topic)])).toEqual([
      ["Discovery", ["Problem and users", "Success criteria", "Core features (MVP)"]],
      ["Architecture", ["Language and platform", "External integrations", "Feature classification"]],
      ["Constraints", ["Performance", "Security", "Compliance and regulation"]],
      [
        "Design Preferences",
        [
          "Error handling philosophy",
          "Logging and observability",
          "Testing strategy",
          "API style (REST, GraphQL, gRPC)",
          "State management",
        ],
      ],
    ]);
    expect(new Set(QUESTION_IDS).size).toBe(QUESTIONS.length);
  });

  test("asks every question once, in order, and confirms each phase", () => {
    const steps: string[] = [];
    play(start(), (state) => {
      steps.push(asks(state));
      return false;
    });
    expect(steps.filter((step) => step !== "extract")).toEqual([
      ...questionsOf("discovery").map(({ id }) => id),
      "confirm",
      ...questionsOf("architecture").map(({ id }) => id),
      "confirm",
      ...questionsOf("constraints").map(({ id }) => id),
      "confirm",
      "phaseEnd",
      ...questionsOf("designPrefs").map(({ id }) => id),
      "confirm",
      "phaseEnd",
      "done",
    ]);
  });
});

describe("[CRI-017] delegation", () => {
  test("before Discovery and Architecture are complete is refused, and the next required question is asked", () => {
    let state = start();
    for (let turns = 0; turns < 40 && !mayDelegate(state); turns++) {
      const before = asks(state);
      const refused = applyAnswer(state, { kind: "delegated", notes: null });
      expect(refused.delegatedAfter).toBeNull();
      expect(asks(refused)).toBe(before);
      expect(refused.acknowledgment).toContain("Nothing can be delegated before Discovery and Architecture are complete");
      state = play(state, ({ turn }) => turn > state.turn);
    }
    expect(mayDelegate(state)).toBe(true);
  });

  test("is accepted at every later question", () => {
    let state = untilPhase("constraints");
    for (; nextQuestion(state).kind !== "done";) {
      const delegated = applyAnswer(state, { kind: "delegated", notes: "be nice" });
      expect(delegated).toMatchObject({ delegatedAfter: state.interviewPhase, delegationNotes: "be nice", stage: "done" });
      const { turn } = state;
      state = play(state, (now) => now.turn > turn);
    }
  });

  test("ends the interview after open features are asked about", () => {
    const state = applyAnswer(applyAnswer(untilPhase("constraints"), text("later in several countries")), {
      kind: "delegated",
      notes: null,
    });
    expect(nextQuestion(state)).toEqual({ kind: "extract", phase: "constraints" });
    const found = read(state, "constraints", [["countries", true]]);
    expect(nextQuestion(found).kind).toBe("classify");
    expect(asks(applyAnswer(found, { kind: "classified", classification: "bolt-on" }))).toBe("done");
    const left = applyAnswer(found, { kind: "delegated", notes: null });
    expect(left.features[0]?.classification).toBe("delegated");
    expect(asks(left)).toBe("done");
  });
});

describe("[CRI-018] at the end of each optional phase", () => {
  test.each(["constraints", "designPrefs"] as const)("%s offers Continue, Delegate and Delegate with notes", (phase) => {
    expect(PHASE_END_CHOICES.map(({ label }) => label)).toEqual(["Continue", "Delegate", "Delegate with notes"]);
    const state = play(start(), (now) => now.interviewPhase === phase && now.stage === "choice");
    expect(nextQuestion(state)).toEqual({ kind: "phaseEnd", phase });
    expect(applyAnswer(state, { kind: "delegated", notes: null })).toMatchObject({ delegatedAfter: phase, stage: "done" });
  });

  test("required phases have no such choice", () => {
    const kinds: string[] = [];
    play(start(), (state) => {
      if (INTERVIEW_TITLES[state.interviewPhase].required) kinds.push(nextQuestion(state).kind);
      return state.interviewPhase === "constraints";
    });
    expect(kinds).toContain("confirm");
    expect(kinds).not.toContain("phaseEnd");
  });
});

describe("[CRI-026] going back", () => {
  test("to an earlier phase asks its questions again with the answers kept, then returns to the place", () => {
    const before = applyAnswer(untilPhase("constraints"), text("fast"));
    let state = applyAnswer(before, { kind: "back", phase: "discovery" });
    expect(asks(state)).toBe("problem_users");
    expect(state.extractedRequirements).toEqual(before.extractedRequirements);
    state = applyAnswer(state, { kind: "kept", all: false });
    state = applyAnswer(state, text("nothing is lost"));
    state = applyAnswer(state, { kind: "kept", all: true });
    expect(nextQuestion(state)).toEqual({ kind: "extract", phase: "discovery" });
    state = applyAnswer(read(state, "discovery"), { kind: "confirmed" });
    expect(asks(state)).toBe("security");
    expect(state.extractedRequirements).toEqual(
      before.extractedRequirements.map((one) => (one.question === "success_criteria" ? { ...one, text: "nothing is lost" } : one)),
    );
  });

  test("to a phase that was not reached is refused", () => {
    const state = applyAnswer(start(), { kind: "back", phase: "designPrefs" });
    expect(asks(state)).toBe("problem_users");
    expect(state.acknowledgment).toContain("has not been reached");
  });

  test("within the current phase begins it again without losing answers", () => {
    const before = applyAnswer(untilPhase("constraints"), text("fast"));
    const state = applyAnswer(before, { kind: "back", phase: "constraints" });
    expect(asks(state)).toBe("performance");
    expect(answerTo(state, "performance")).toBe("fast");
    expect(asks(applyAnswer(state, { kind: "kept", all: true }))).toBe("security");
  });

  test("from a visited phase to another one still returns to the first place", () => {
    let state = applyAnswer(untilPhase("constraints"), { kind: "back", phase: "architecture" });
    state = applyAnswer(state, { kind: "back", phase: "discovery" });
    state = applyAnswer(applyAnswer(state, { kind: "kept", all: true }), { kind: "confirmed" });
    expect(asks(state)).toBe("performance");
  });

  test("a question without an answer cannot be kept", () => {
    const state = applyAnswer(start(), { kind: "kept", all: true });
    expect(asks(state)).toBe("problem_users");
    expect(state.acknowledgment).toContain("no answer to keep yet");
  });
});

describe("[CRI-026] correcting one fact", () => {
  const before = untilPhase("constraints");

  test("replaces its answer and leaves all others and the place", () => {
    const state = applyAnswer(before, { kind: "correct", question: "success_criteria", text: "other" });
    expect(answerTo(state, "success_criteria")).toBe("other");
    expect(state.extractedRequirements.filter(({ question }) => question !== "success_criteria")).toEqual(
      before.extractedRequirements.filter(({ question }) => question !== "success_criteria"),
    );
    expect(nextQuestion(state)).toEqual({ kind: "extract", phase: "discovery" });
    expect(asks(read(state, "discovery"))).toBe(asks(before));
  });

  test("asks the question again if no new text was given", () => {
    const state = applyAnswer(before, { kind: "correct", question: "problem_users", text: null });
    expect(asks(state)).toBe("problem_users");
    const corrected = read(applyAnswer(state, text("banks")), "discovery");
    expect(answerTo(corrected, "problem_users")).toBe("banks");
    expect(asks(corrected)).toBe("performance");
    expect(asks(applyAnswer(state, { kind: "kept", all: true }))).toBe("performance");
  });

  test("asks which one if none was named", () => {
    const state = applyAnswer(before, { kind: "correct", question: null, text: null });
    expect(asks(state)).toBe("choose");
    expect(asks(applyAnswer(state, { kind: "kept", all: false }))).toBe("performance");
    expect(asks(applyAnswer(state, text("x")))).toBe("choose");
  });

  test("is refused for a question without an answer", () => {
    const state = applyAnswer(before, { kind: "correct", question: "security", text: "x" });
    expect(answerTo(state, "security")).toBeNull();
    expect(state.acknowledgment).toContain("nothing to correct");
  });
});

describe("features", () => {
  const architecture = () => play(start(), (state) => state.interviewPhase === "architecture" && state.stage === "confirm");

  test("[CRI-022] a future feature is asked about; a core one is not", () => {
    const state = read({ ...architecture(), unread: ["architecture"] }, "architecture", [
      ["login", false],
      ["tenants", true],
    ]);
    expect(nextQuestion(state)).toMatchObject({ kind: "classify", feature: { id: "tenants", affects: ["data model"] } });
    const classified = applyAnswer(state, { kind: "classified", classification: "foundational" });
    expect(classified.features.map(({ id, classification }) => [id, classification])).toEqual([
      ["login", "core"],
      ["tenants", "foundational"],
    ]);
    expect(asks(classified)).toBe("confirm");
  });

  test("keep the person's classification when the answers are read again, and go when they are no longer mentioned", () => {
    const state = applyAnswer(
      read(architecture(), "architecture", [
        ["tenants", true],
        ["export", false],
      ]),
      { kind: "classified", classification: "bolt-on" },
    );
    const again = read(state, "architecture", [["tenants", true]]);
    expect(again.features.map(({ id, classification }) => [id, classification])).toEqual([["tenants", "bolt-on"]]);
    expect(read(again, "discovery", []).features).toEqual(again.features);
  });

  test.each<InterviewAnswer>([
    { kind: "classified", classification: "bolt-on" },
    { kind: "confirmed" },
    { kind: "continued" },
    { kind: "refused", why: "no" },
  ])("an answer that does not fit the question changes nothing ($kind)", (answer) => {
    const { turn, acknowledgment, ...rest } = applyAnswer(start(), answer);
    expect(rest).toEqual((({ turn: _t, acknowledgment: _a, ...same }) => same)(start()));
    expect([turn, acknowledgment === ""]).toEqual([1, false]);
  });
});

describe("commands", () => {
  test.each<[string, InterviewAnswer]>([
    ["/back architecture", { kind: "back", phase: "architecture" }],
    ["/back Design Preferences", { kind: "back", phase: "designPrefs" }],
    ["/correct", { kind: "correct", question: null, text: null }],
    ["/correct performance", { kind: "correct", question: "performance", text: null }],
    ["/correct performance: below 5 ms\nalways", { kind: "correct", question: "performance", text: "below 5 ms\nalways" }],
    ["/keep", { kind: "kept", all: false }],
    ["/keep all", { kind: "kept", all: true }],
    ["/delegate", { kind: "delegated", notes: null }],
    ["/delegate  errors are friendly ", { kind: "delegated", notes: "errors are friendly" }],
  ])("%s", (said, answer) => expect(readAnswer(said)).toEqual(answer));

  test.each(["/etc/passwd", " /delegate", "/delegated", "please /delegate", "", "/", "\u001b[31m/back discovery"])("%j is data", (said) => {
    expect(readAnswer(said)).toEqual({ kind: "text", text: said });
  });

  test.each(["/back", "/back nowhere", "/correct __proto__", "/correct constructor x"])(
    "%s is refused with the names there are",
    (said) => {
      const answer = readAnswer(said);
      expect(answer.kind === "refused" && /Phases: discovery|Questions: problem_users/.test(answer.why)).toBe(true);
    },
  );

  test("are named with every question, and explained by /help", () => {
    for (const name of ["/back", "/correct", "/keep", "/delegate"]) {
      expect(COMMAND_LINE).toContain(name);
      expect(COMMAND_HELP).toContain(`- ${name}`);
    }
    expect(COMMAND_LINE).not.toContain("\n");
    expect(readAnswer("/help")).toEqual({ kind: "refused", why: COMMAND_HELP });
  });
});

test("a phase that is open again keeps its answers and ends the interview", () => {
  const done = play(start());
  let state = reopened(done, "constraints", "too slow");
  expect(asks(state)).toBe("performance");
  expect(resumeSummary(state)).toContain("open again because of: too slow");
  state = applyAnswer(applyAnswer(state, { kind: "kept", all: true }), { kind: "confirmed" });
  expect(nextQuestion(state).kind).toBe("done");
  expect(state.extractedRequirements).toEqual(done.extractedRequirements);
  expect(applyAnswer(state, text("more")).acknowledgment).toBe("The interview is finished.");
});

test("the summary of an interview without answers says so", () => {
  const summary = resumeSummary(firstState({ project: "p", idea: "A wiki" }));
  expect(summary).toContain("Last session: none");
  expect(summary).toContain("Idea: A wiki");
  expect(summary).toContain("Completed phases: none");
  expect(summary).toContain("Nothing has been noted so far.");
  expect(resumeSummary(play(start()))).toContain("Last question: none, the interview is finished");
});

describe("any sequence of answers", () => {
  const phase = fc.constantFrom(...INTERVIEW_PHASES);
  const question = fc.constantFrom(...QUESTION_IDS);
  const said = fc.string({ minLength: 1, maxLength: 8 });
  const answer: fc.Arbitrary<InterviewAnswer> = fc.oneof(
    { weight: 8, arbitrary: said.map((value): InterviewAnswer => ({ kind: "text", text: value })) },
    { weight: 3, arbitrary: fc.constant<InterviewAnswer>({ kind: "confirmed" }) },
    { weight: 2, arbitrary: fc.constant<InterviewAnswer>({ kind: "continued" }) },
    { weight: 2, arbitrary: fc.constant<InterviewAnswer>({ kind: "classified", classification: "bolt-on" }) },
    { weight: 1, arbitrary: phase.map((one): InterviewAnswer => ({ kind: "back", phase: one })) },
    {
      weight: 1,
      arbitrary: fc.tuple(question, fc.option(said)).map(([one, to]): InterviewAnswer => ({ kind: "correct", question: one, text: to })),
    },
    { weight: 1, arbitrary: fc.constant<InterviewAnswer>({ kind: "correct", question: null, text: null }) },
    { weight: 1, arbitrary: fc.boolean().map((all): InterviewAnswer => ({ kind: "kept", all })) },
    { weight: 1, arbitrary: fc.constant<InterviewAnswer>({ kind: "delegated", notes: null }) },
  );

  test("[CRI-026] loses no answer, keeps the order of phases, stays valid, and can always be finished", () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 60 }), fc.boolean(), (answers, withFeatures) => {
        let state = start();
        const given = new Map<string, string>();
        for (const one of answers) {
          for (let step = nextQuestion(state); step.kind === "extract"; step = nextQuestion(state))
            state = read(state, step.phase, withFeatures ? [[`later-${step.phase.toLowerCase()}`, true]] : []);
          const step = nextQuestion(state);
          if (step.kind === "ask" && one.kind === "text") given.set(step.question.id, one.text);
          if (one.kind === "correct" && one.question !== null && one.text !== null && step.kind !== "done" && given.has(one.question))
            given.set(one.question, one.text);
          state = interviewStateSchema.parse(applyAnswer(state, one));
          expect(Object.fromEntries(state.extractedRequirements.map((kept) => [kept.question, kept.text]))).toEqual(
            Object.fromEntries(given),
          );
          const reached = INTERVIEW_PHASES.indexOf(state.resumeAt?.interviewPhase ?? state.interviewPhase);
          for (const earlier of INTERVIEW_PHASES.slice(0, reached)) expect(isAnswered(state, earlier)).toBe(true);
          if (state.delegatedAfter !== null) expect(mayDelegate(state)).toBe(true);
        }
        expect(nextQuestion(play(state)).kind).toBe("done");
      }),
      { numRuns: 300 },
    );
  });

  test("counts every turn, so that names of questions are never used twice", () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 40 }), (answers) => {
        let state = start();
        for (const one of answers) {
          const { turn } = state;
          state = applyAnswer(state, one);
          expect(state.turn).toBe(turn + 1);
        }
      }),
    );
  });
});
