import { readFile } from "node:fs/promises";
import { readXml } from "@slipway/kernel/change/judge/gates/xml";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { RanTest, TestRun } from "../typescript/test-run.ts";
import { brokenRun, failedTest, passedTest } from "./test-report.ts";

interface OpenCase {
  readonly name: string;
  readonly duration: number;
  failure: { readonly message: string; readonly kind: string; readonly isError: boolean } | null;
  skipped: boolean;
}

/** Reads a JUnit report. A missing or malformed one is a broken run: the process under test may have ended early or written it. */
export async function readJunitReport(path: string, shown: string): Promise<TestRun> {
  const tests: RanTest[] = [];
  const skipped: string[] = [];
  let open: OpenCase | null = null;
  try {
    await readXml(textOf(path), shown, {
      open(name, attributes, names) {
        if (name === "testcase") {
          open = { name: nameOf(attributes), duration: Number(attributes["time"] ?? 0) * 1000, failure: null, skipped: false };
        } else if (open !== null && names.at(-2) === "testcase") {
          const message = attributes["message"] ?? "";
          const kind = attributes["type"] ?? /^(?:E\s+)?([A-Za-z_.]+(?:Error|Exception))\b/.exec(message)?.[1] ?? "Failure";
          if (name === "failure" || name === "error") open.failure = { message, kind, isError: name === "error" };
          if (name === "skipped") open.skipped = true;
        }
      },
      close(name) {
        if (name !== "testcase" || open === null) return;
        const { failure, duration } = open;
        if (open.skipped) skipped.push(open.name);
        else if (failure === null) tests.push(passedTest(open.name, duration));
        else tests.push(failedTest(open.name, { name: failure.kind, message: failure.message, by: byOf(failure) }, duration));
        open = null;
      },
    });
  } catch (error) {
    if (error instanceof SlipwayError || (error as { code?: string }).code === "ENOENT")
      return brokenRun("the test runner wrote no report");
    throw error;
  }
  return { tests, skipped, broken: null };
}

async function* textOf(path: string): AsyncGenerator<string> {
  yield await readFile(path, "utf8");
}

function nameOf(attributes: Readonly<Record<string, string>>): string {
  const classes = attributes["classname"] ?? "";
  const name = attributes["name"] ?? "";
  return classes === "" ? name : `${classes} > ${name}`;
}

function byOf({
  message,
  kind,
  isError,
}: {
  readonly message: string;
  readonly kind: string;
  readonly isError: boolean;
}): "check" | "code" | "test" {
  if (isError) return "test";
  return /assert/i.test(`${kind} ${message.slice(0, 200)}`) ? "check" : "code";
}
