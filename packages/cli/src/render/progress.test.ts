import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { collectingIo } from "../init/testing/scratch.ts";
import { event } from "@slipway/protocols/narration/testing/event";
import { boardFeature } from "../testing/feature.ts";
import { liveBoard } from "./live.ts";
import { screenText } from "@slipway/protocols/surface/style";
import { paint } from "@slipway/protocols/surface/paint";
import { openProgress, styleFor } from "./progress.ts";
import { answerCommand } from "./questions.ts";
import type { BoardFeature } from "@slipway/kernel/change/views/board/board";
import { loadWorkText } from "@slipway/protocols/narration/work-text";
import { plainNode, type RunView } from "@slipway/protocols/run-view";
import { loadProtocols, narrateWith } from "@slipway/protocols/all-protocols";

const narrate = narrateWith(await loadProtocols());
const workText = await loadWorkText();

const accepted = event({ kind: "step", name: "plan:1", payload: { value: { ok: true } } });
const refused = event({
  kind: "step",
  name: "plan:1",
  payload: { value: { ok: false, failure: { code: "x", message: "too wide", details: {} } } },
});
const asked = event({ kind: "asked", name: "approve:1", payload: { title: "Merge?" } });
const silent = event({ kind: "started", name: "feature" });

test("JSON if requested, a board on a terminal, lines elsewhere", () => {
  const io = collectingIo("/");
  expect(styleFor(io, true)).toBe("json");
  expect(styleFor(io, false)).toBe("lines");
  expect(styleFor({ ...io, terminal: true }, false)).toBe("board");
  expect(styleFor({ ...io, terminal: true }, true)).toBe("json");
});

test("in a pipe: one plain line per event, warnings on stderr", async () => {
  const io = collectingIo("/");
  const progress = await openProgress(io, "lines");
  progress.started("run/feature:letters", "init");
  for (const happened of [accepted, refused, asked, silent]) progress.event(happened);
  progress.warn("look\nhere");
  progress.pause();
  progress.stop();
  expect(io.stdout()).toBe("+ letters: plan accepted\nx letters: plan refused: too wide\n- letters: asks: Merge?\n");
  expect(io.stderr()).toBe("warning: look here\n");
});

test("for programs: one JSON object per line, every event, nothing on stderr", async () => {
  const io = collectingIo("/");
  const progress = await openProgress(io, "json");
  progress.started("run/feature:letters", "init");
  progress.event(silent);
  progress.warn("look");
  progress.pause();
  progress.stop();
  const lines = io
    .stdout()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toEqual([
    { event: "started", run: "run/feature:letters", name: "init" },
    { event: "started", run: "2026-01-01_letters/feature:letters", seq: 1, name: "feature", at: 0 },
    { event: "warning", text: "look" },
  ]);
  expect(io.stderr()).toBe("");
});

describe("on a terminal", () => {
  let written: string;
  beforeEach(() => {
    vi.useFakeTimers({ now: 100_000 });
    written = "";
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => ((written += String(chunk)), true));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const board = (features: () => readonly BoardFeature[]) => ({ features, budgets: () => [], workText });
  const screen = () => stripVTControlCharacters(written);
  const io = (more: object = {}) => collectingIo("/", { terminal: true, columns: 80, ...more });
  const one = boardFeature({ status: "building", at_work: { step: "builder:1", since: 100_000 } });

  test("past events scroll above a board with the running steps and their durations", () => {
    const progress = liveBoard(
      io(),
      narrate,
      board(() => [one]),
    );
    progress.event(accepted);
    progress.event(silent);
    progress.started("run/feature:letters", "builder:1");
    vi.advanceTimersByTime(3100);
    expect(screen()).toContain("✔ letters: plan accepted\n\nfeature  status");
    expect(screen()).toContain("builder at work 3 s");
    progress.event(refused);
    progress.event(asked);
    vi.advanceTimersByTime(100);
    expect(screen()).toContain("✘ letters: plan refused: too wide\n• letters: asks: Merge?\n");
    progress.stop();
    const drawn = written;
    progress.stop();
    progress.event(accepted);
    progress.pause();
    vi.advanceTimersByTime(5000);
    expect(written).toBe(drawn);
  });

  test("only changed lines are redrawn", () => {
    let shown = [boardFeature({ id: "a" }), boardFeature({ id: "b" }), boardFeature({ id: "c" })];
    const progress = liveBoard(
      io(),
      narrate,
      board(() => shown),
    );
    progress.event(silent);
    vi.advanceTimersByTime(100);
    written = "";
    vi.advanceTimersByTime(10_000);
    expect(written).toBe("");
    shown = shown.map((feature) => (feature.id === "b" ? { ...feature, status: "qa" } : feature));
    progress.event(silent);
    vi.advanceTimersByTime(100);
    expect(screen()).toMatch(/^b +qa +\$0\.00$/m);
    expect(screen()).not.toMatch(/^[ac] /m);
    progress.stop();
  });

  test("many events at once are one redraw", () => {
    const looks = vi.fn(() => [one]);
    const progress = liveBoard(io(), narrate, board(looks));
    for (let index = 0; index < 500; index++) progress.event(silent);
    vi.advanceTimersByTime(100);
    expect(looks).toHaveBeenCalledTimes(1);
    progress.stop();
  });

  test("a long line is cut to the width of the screen, a failure is shown in full, a warning stays above", () => {
    const progress = liveBoard(
      io({ color: true, columns: 40 }),
      narrate,
      board(() => []),
    );
    progress.event(event({ kind: "asked", name: "approve:1", payload: { title: "y".repeat(500) } }));
    progress.event(
      event({
        kind: "step",
        name: "plan:1",
        payload: { value: { ok: false, failure: { code: "x", message: "x".repeat(500), details: {} } } },
      }),
    );
    progress.warn("look\u001b[2J");
    progress.stop();
    expect(screen()).toMatch(/^• letters: asks: y+…$/m);
    expect(screen().match(/x/g)).toHaveLength(500);
    expect(screen()).toContain("warning: look<U+001B>[2J");
    expect(written).toContain("\u001b[31m✘");
  });

  test("while a prompt has the screen nothing is drawn; the next event draws again", () => {
    const progress = liveBoard(
      io(),
      narrate,
      board(() => [one]),
    );
    progress.event(accepted);
    progress.pause();
    expect(screen()).toContain("plan accepted");
    written = "";
    vi.advanceTimersByTime(5000);
    progress.pause();
    expect(written).toBe("");
    progress.event(asked);
    progress.stop();
    expect(screen()).toMatch(/^• letters: asks: Merge\?\n\nfeature/);
  });

  const tree: RunView = {
    run: "r",
    protocol: "p",
    status: "running",
    nodes: [
      plainNode({ id: "r", parent: null, kind: "run", title: "r", status: "running" }),
      plainNode({ id: "t", parent: "r", kind: "task", title: "import a statement", status: "IN_PROGRESS" }),
    ],
  };

  test("a run without features is shown as its tree", async () => {
    const progress = liveBoard(
      io(),
      narrate,
      board(() => []),
    );
    progress.follow({ runId: "r", workflow: "p", view: () => Promise.resolve(tree) });
    progress.event(silent);
    await vi.advanceTimersByTimeAsync(1200);
    expect(screen()).toMatch(/^r \(p\): running\n {2}import a statement: IN_PROGRESS$/m);
    progress.stop();
  });

  test("a tree that cannot be read is left out, and read again later", async () => {
    const reads = vi.fn().mockRejectedValueOnce(new Error("locked")).mockResolvedValue(tree);
    const progress = liveBoard(
      io(),
      narrate,
      board(() => []),
    );
    progress.follow({ runId: "r", workflow: "p", view: reads });
    progress.event(silent);
    await vi.advanceTimersByTimeAsync(3000);
    expect(reads.mock.calls.length).toBeGreaterThan(1);
    expect(screen()).toContain("import a statement");
    progress.stop();
  });

  test("before the first event, stop draws nothing", () => {
    liveBoard(
      io(),
      narrate,
      board(() => []),
    ).stop();
    expect(written).toBe("");
  });
});

test("no colour without a terminal or with NO_COLOR", () => {
  expect(paint(false).red("x")).toBe("x");
  expect(screenText(paint(true).red("x"))).toBe("\u001b[31mx\u001b[39m");
});

test.each([
  [{ id: "run#q", kind: "approval", feature: "letters" }, "slipway approve letters"],
  [{ id: "run#q", kind: "approval", context: { feature_id: "letters" } }, "slipway approve letters"],
  [{ id: "run#q", kind: "approval" }, "slipway answer 'run#q' --comment '…'"],
  [{ id: "run#q", kind: "blocked", feature: null, options: [{ value: "a" }, { value: "b" }] }, "slipway answer 'run#q' a --comment '…'"],
  [{ id: "Q1", kind: "request", options: [] }, "slipway answer Q1 --comment '…'"],
])("the command that answers %j", (question, command) => {
  expect(answerCommand(question)).toBe(command);
});
