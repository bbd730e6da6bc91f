import { z } from "zod";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import { injectBody } from "../tree-sitter/inject.ts";
import { parseSource } from "../tree-sitter/source.ts";
import { rustGrammar } from "./grammar.ts";

const requestSchema = z.strictObject({ skeleton: z.string(), fnName: z.string(), body: z.string() });

export interface InjectAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 1 | 2;
}

/**
 * The command that puts a body into a function of Rust: reads JSON `{skeleton, fnName, body}` and answers with JSON `{code}`. What is
 * wrong with the request, the source or the body goes to standard error, and nothing to standard output.
 */
export function runRustInject(stdin: string): InjectAnswer {
  const request = requestSchema.safeParse(parsed(stdin));
  if (!request.success) return failure(2, 'Give JSON of the form {"skeleton": "…", "fnName": "…", "body": "…"}.');
  const { skeleton, fnName, body } = request.data;
  try {
    const code = injectBody(rustGrammar, parseSource(rustGrammar, skeleton), fnName, body).text;
    return { stdout: `${JSON.stringify({ code })}\n`, stderr: "", exitCode: 0 };
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    return failure(1, `${error.code}: ${error.message}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function failure(exitCode: 1 | 2, message: string): InjectAnswer {
  return { stdout: "", stderr: `${message}\n`, exitCode };
}
