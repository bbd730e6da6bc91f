import { strictAreaMatcher } from "../../../paths/areas.ts";

/** Files that a program reads and carries out by itself once they are there. */
interface SelfRun {
  readonly patterns: readonly string[];
  /** Who runs it, and when. */
  readonly told: string;
}

const TOOL_CONFIGURATION = ["babel", "commitlint", "eslint", "lint-staged", "postcss", "prettier", "stylelint", "tailwind"];
const BUNDLERS = ["astro", "esbuild", "metro", "next", "nuxt", "remix", "rollup", "rspack", "svelte", "tsup", "webpack"];
const TEST_RUNNERS = ["ava", "cypress", "jest", "karma", "playwright", "vite", "vitest", "wdio"];

export const SELF_RUN_FILES: readonly SelfRun[] = [
  { patterns: ["slipway/**"], told: "Slipway judges and starts agents by it" },
  // Coding agents.
  { patterns: ["**/.claude/**"], told: "Claude Code runs its hooks and obeys it in each session" },
  { patterns: ["**/.mcp.json"], told: "an MCP client such as Claude Code starts its servers with each session" },
  { patterns: ["**/.cursor/**", "**/.cursorrules"], told: "Cursor obeys it and starts its servers in each session" },
  { patterns: ["**/.opencode/**", "**/opencode.{json,jsonc}"], told: "OpenCode runs it with each session" },
  { patterns: ["**/.gemini/**"], told: "Gemini CLI runs it with each session" },
  { patterns: ["**/.codex/**"], told: "Codex runs it with each session" },
  {
    patterns: [
      "**/.{agents,amazonq,augment,clinerules,continue,junie,kilocode,kiro,qwen,roo,windsurf}/**",
      "**/.{clinerules,goosehints,roomodes,windsurfrules}",
      "**/.aider.conf.yml",
    ],
    told: "coding agents run or obey it in each session",
  },
  {
    patterns: [
      "**/{agents,agent,claude,gemini,qwen,skill}.md",
      "**/{agents.override,claude.local}.md",
      "**/.github/copilot-instructions.md",
      "**/.github/{agents,chatmodes,instructions,prompts,skills}/**",
    ],
    told: "coding agents obey it in each session",
  },
  // Editors.
  { patterns: ["**/.vscode/**", "**/*.code-workspace"], told: "VS Code runs what it names when the folder is opened" },
  { patterns: ["**/.idea/**", "**/*.run.xml"], told: "IDEs of JetBrains run what it names when the project is opened or started" },
  { patterns: ["**/.{fleet,vs,zed}/**", "**/*.sublime-project"], told: "an editor runs what it names when the folder is opened" },
  {
    patterns: ["**/.{exrc,gvimrc,lvimrc,nvimrc,vimrc}", "**/.{exrc,nvim,nvimrc,vimrc}.lua", "**/.dir-locals{,-2}.el"],
    told: "an editor runs it when it is started in the folder",
  },
  // Shells, environments and containers.
  { patterns: ["**/.envrc", "**/.autoenv*"], told: "direnv runs it when a shell enters the folder" },
  {
    patterns: ["**/.tool-versions", "**/{,.}mise{,.local}.toml", "**/{.config/mise,.mise,mise}/**", "**/.rtx.toml"],
    told: "mise or asdf runs what it names when a shell enters the folder",
  },
  { patterns: ["**/{flake,shell,devenv}.nix", "**/devbox.json"], told: "Nix runs it when a shell is opened in the folder" },
  {
    patterns: ["**/.devcontainer/**", "**/.devcontainer.json"],
    told: "an editor builds and starts the container when the folder is opened",
  },
  { patterns: ["**/.gitpod*", "**/.codesandbox/**", "**/.replit"], told: "a hosted editor runs it when the workspace is opened" },
  {
    patterns: ["**/{dockerfile,containerfile}{,.*}", "**/*.dockerfile", "**/{docker-,}compose{,.*}.y*ml"],
    told: "Docker runs it when an image is built or started",
  },
  { patterns: ["**/.{gdbinit,lldbinit,pdbrc,byebugrc,rdbgrc}"], told: "a debugger runs it when it is started in the folder" },
  {
    patterns: ["**/.{irbrc,pryrc,rprofile,renviron,iex.exs,ghci,ocamlinit}"],
    told: "an interpreter runs it when it is started in the folder",
  },
  // Package managers and builds.
  { patterns: ["**/.npmrc"], told: "npm and pnpm obey it in each command" },
  { patterns: ["**/.yarnrc{,.yml}", "**/.yarn/{plugins,releases,sdks}/**"], told: "Yarn runs it in each command" },
  { patterns: ["**/{,.}pnpmfile.{cjs,mjs,js}", "**/pnpm-workspace.y*ml"], told: "pnpm runs what it says at each install" },
  { patterns: ["**/bunfig.toml"], told: "Bun runs what it preloads in each command" },
  { patterns: ["**/binding.gyp"], told: "npm compiles and runs it at each install" },
  { patterns: ["**/.cargo/**", "**/rust-toolchain{,.toml}"], told: "Cargo runs the programs that it names in each command" },
  { patterns: ["**/build.rs"], told: "Cargo runs it at each build" },
  { patterns: ["**/gradlew{,.bat}", "**/gradle/wrapper/**", "**/init.gradle{,.kts}"], told: "Gradle runs it in each command" },
  { patterns: ["**/.mvn/**", "**/mvnw{,.cmd}"], told: "Maven runs it in each command" },
  { patterns: ["**/.{sbtopts,jvmopts}"], told: "sbt starts with it" },
  { patterns: ["**/.bazelrc", "tools/bazel"], told: "Bazel runs what it says in each command" },
  { patterns: ["**/.bundle/**"], told: "Bundler obeys it in each command" },
  {
    patterns: ["**/{gnumakefile,makefile}", "**/{,.}justfile", "**/taskfile{,.dist}.y*ml", "**/{rakefile,rakefile.rb}"],
    told: "make, just, task or rake runs it when somebody types the command",
  },
  { patterns: ["**/{gruntfile,gulpfile}.*"], told: "Grunt or Gulp runs it when somebody types the command" },
  // Python.
  { patterns: ["**/conftest.py"], told: "pytest runs it in each test run" },
  { patterns: ["**/{sitecustomize,usercustomize}.py", "**/*.pth"], told: "Python runs it in each start" },
  { patterns: ["**/setup.py", "**/hatch_build.py"], told: "pip runs it at each installation" },
  { patterns: ["**/tox.ini", "**/noxfile.py"], told: "tox or nox runs it in each test run" },
  // Configuration that is code, or that names code.
  {
    patterns: [
      ...TOOL_CONFIGURATION.map((tool) => `**/${tool}.config.*`),
      "**/.{babelrc,eslintrc,lintstagedrc,prettierrc,stylelintrc,swcrc}*",
    ],
    told: "a linter or formatter runs it in each run, also in editors and hooks",
  },
  {
    patterns: [...TEST_RUNNERS.flatMap((tool) => [`**/${tool}.{config,conf}.*`, `**/${tool}.workspace.*`]), "**/.{mocharc,nycrc,c8rc}*"],
    told: "a test runner runs it in each test run",
  },
  { patterns: [...BUNDLERS.map((tool) => `**/${tool}.config.*`), "**/gatsby-*.*"], told: "a bundler runs it at each build" },
  // Version control.
  { patterns: ["**/.gitattributes"], told: "git runs the filters that it names at each checkout" },
  { patterns: ["**/.gitmodules"], told: "git fetches what it names" },
  {
    patterns: [
      "**/.{githooks,husky,lefthook}/**",
      "**/{,.}lefthook{,-local}.{yml,yaml,toml,json}",
      "**/.pre-commit-{config,hooks}.yaml",
      "**/.{huskyrc,simple-git-hooks,commitlintrc}*",
      "**/.overcommit.yml",
    ],
    told: "a git hook runs it at each commit",
  },
  {
    patterns: [
      "**/.github/{actions,workflows}/**",
      "**/.gitlab-ci*.yml",
      "**/.{gitlab,circleci,ci,buildkite,azure-pipelines,forgejo,gitea,semaphore,teamcity,woodpecker}/**",
      "**/azure-pipelines*.y*ml",
      "**/jenkinsfile*",
      "**/{bitbucket-pipelines,appveyor,.appveyor,.travis,.drone,.cirrus,.woodpecker,cloudbuild,buildspec}.y*ml",
    ],
    told: "the CI runs it when it is pushed",
  },
];

const tellers = new Map(
  SELF_RUN_FILES.flatMap(({ patterns, told }) => patterns.flatMap(spelledOut).map((pattern) => [pattern, told] as const)),
);
const patternOf = strictAreaMatcher([...tellers.keys()], "glob");

/** Who runs a file by itself, and when; null if nobody is known to. */
export function selfRunBy(path: string): string | null {
  const pattern = patternOf(path);
  return pattern === null ? null : (tellers.get(pattern) ?? null);
}

/** One pattern for each choice in braces, because a glob may have one pair of braces in a name. */
function spelledOut(pattern: string): string[] {
  const [whole, choices] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern];
  return choices.split(",").flatMap((choice) => spelledOut(pattern.replace(whole, choice)));
}
