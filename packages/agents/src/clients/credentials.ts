import { readFileSync, statSync } from "node:fs";
import type { Client, SignIn } from "./client.ts";

/** How a client's process authenticates with its models. */
export type Credentials =
  | { readonly kind: "key"; readonly variable: string; readonly as: string; readonly value: string }
  | ({ readonly kind: "signed_in" } & SignIn)
  /** For self-hosted models without authentication. */
  | { readonly kind: "none" };

export interface Wallet {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variable named by --provider-config-env. */
  readonly configEnv: string | null;
  readonly model: string | null;
  readonly now: number;
}

/** The named variable, then the client's own variables, then its stored sign-in. Nothing else is read. */
export function findCredentials(client: Client, { env, configEnv, model, now }: Wallet): Credentials | null {
  const named = configEnv === null ? [] : [{ variable: configEnv, as: asOf(client, configEnv) }];
  for (const { variable, as } of [...named, ...client.keys]) {
    const value = env[variable];
    if (value !== undefined && value !== "") return { kind: "key", variable, as, value };
  }
  const signIn = client.signedIn({ env, read: readText, now, model });
  return signIn === null ? null : { kind: "signed_in", ...signIn };
}

function asOf({ keys }: Client, variable: string): string {
  return keys.find((key) => key.variable === variable)?.as ?? keys[0]?.as ?? variable;
}

function readText(path: string): string | null {
  try {
    // Not signed in is the normal case and checked on every invocation, so avoid throwing.
    return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path, "utf8");
  } catch {
    // An unreadable state counts as none.
    return null;
  }
}

export function secretsOf(credentials: Credentials): readonly string[] {
  if (credentials.kind === "key") return [credentials.value];
  return credentials.kind === "signed_in" ? credentials.secrets : [];
}

export function keyVariables(credentials: Credentials): Record<string, string> {
  return credentials.kind === "key" ? { [credentials.as]: credentials.value } : {};
}
