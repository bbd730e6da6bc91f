export const INTERVIEW_PHASES = ["discovery", "architecture", "constraints", "designPrefs"] as const;
export type InterviewPhase = (typeof INTERVIEW_PHASES)[number];

interface PhaseOfInterview {
  readonly title: string;
  /** Nothing can be delegated before every required phase is complete. */
  readonly required: boolean;
}

export const INTERVIEW_TITLES: Readonly<Record<InterviewPhase, PhaseOfInterview>> = {
  discovery: { title: "Discovery", required: true },
  architecture: { title: "Architecture", required: true },
  constraints: { title: "Constraints", required: false },
  designPrefs: { title: "Design Preferences", required: false },
};

export interface TopicQuestion {
  readonly id: string;
  readonly phase: InterviewPhase;
  readonly topic: string;
  readonly text: string;
  readonly help: string;
}

/** In the order in which they are asked. */
export const QUESTIONS = [
  {
    id: "problem_users",
    phase: "discovery",
    topic: "Problem and users",
    text: "What problem does the system solve, and for whom?",
    help: "Name the users and what they cannot do today.",
  },
  {
    id: "success_criteria",
    phase: "discovery",
    topic: "Success criteria",
    text: "How will you know that the system is a success?",
    help: "Give criteria that someone can check, such as a number, a limit or an observable behaviour.",
  },
  {
    id: "core_features",
    phase: "discovery",
    topic: "Core features (MVP)",
    text: "Which features must the first version have?",
    help: "List them one per line. Say of a feature that comes later that it comes later.",
  },
  {
    id: "language_platform",
    phase: "architecture",
    topic: "Language and platform",
    text: "Which programming language and which platform do you want?",
    help: "For example: TypeScript on Node, as a library.",
  },
  {
    id: "external_integrations",
    phase: "architecture",
    topic: "External integrations",
    text: "Which other systems does it talk to, and which of them do you not trust?",
    help: "Services, databases, files, queues. Answer none if there are none.",
  },
  {
    id: "feature_classification",
    phase: "architecture",
    topic: "Feature classification",
    text: "Which features come later, and which parts of the design would each of them affect?",
    help: "A core feature is in the first version. A foundational one comes later but shapes the design now. A bolt-on can be added without touching the core.",
  },
  {
    id: "performance",
    phase: "constraints",
    topic: "Performance",
    text: "What are your performance requirements?",
    help: "Latency, throughput, sizes of data, memory.",
  },
  {
    id: "security",
    phase: "constraints",
    topic: "Security",
    text: "What are your security requirements?",
    help: "Who may do what, which data is secret, which input is hostile.",
  },
  {
    id: "compliance",
    phase: "constraints",
    topic: "Compliance and regulation",
    text: "Which laws, standards or audits must it satisfy?",
    help: "For example GDPR, PCI DSS, a retention period. Answer none if there are none.",
  },
  {
    id: "error_handling",
    phase: "designPrefs",
    topic: "Error handling philosophy",
    text: "How should errors be handled?",
    help: "Exceptions or result values, fail fast or degrade, what users see.",
  },
  {
    id: "logging_observability",
    phase: "designPrefs",
    topic: "Logging and observability",
    text: "What should be logged and measured?",
    help: "Events, metrics, traces, and what must never be logged.",
  },
  {
    id: "testing_strategy",
    phase: "designPrefs",
    topic: "Testing strategy",
    text: "How should it be tested beyond the claims of the specification?",
    help: "Unit, property, integration tests; what matters most.",
  },
  {
    id: "api_style",
    phase: "designPrefs",
    topic: "API style (REST, GraphQL, gRPC)",
    text: "Which style should its API have?",
    help: "REST, GraphQL, gRPC, or a plain library.",
  },
  {
    id: "state_management",
    phase: "designPrefs",
    topic: "State management",
    text: "Where does state live, and who may change it?",
    help: "Pure functions, in memory, a database; immutable values or not.",
  },
] as const satisfies readonly TopicQuestion[];

export type QuestionId = (typeof QUESTIONS)[number]["id"];
export const QUESTION_IDS = QUESTIONS.map(({ id }) => id);

const BY_ID = Object.fromEntries(QUESTIONS.map((question) => [question.id, question])) as Readonly<
  Record<QuestionId, (typeof QUESTIONS)[number]>
>;

export function questionOf(id: QuestionId): (typeof QUESTIONS)[number] {
  return BY_ID[id];
}

/** Null for a name that is not the id of a question. */
export function questionNamed(name: string): (typeof QUESTIONS)[number] | null {
  return Object.hasOwn(BY_ID, name) ? BY_ID[name as QuestionId] : null;
}

export function questionsOf(phase: InterviewPhase): (typeof QUESTIONS)[number][] {
  return QUESTIONS.filter((question) => question.phase === phase);
}

export const REQUIRED_QUESTIONS: readonly QuestionId[] = QUESTIONS.filter(({ phase }) => INTERVIEW_TITLES[phase].required).map(
  ({ id }) => id,
);

/** The choice at the end of each optional phase. */
export const PHASE_END_CHOICES = [
  { value: "continue", label: "Continue" },
  { value: "delegate", label: "Delegate" },
  { value: "delegate_with_notes", label: "Delegate with notes" },
] as const;
