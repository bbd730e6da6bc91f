import { readFileSync, statSync } from "node:fs";
import type { Client, SignIn } from "./client.ts";

/** How a client's process gets in with its models. */
export type Credentials =
  | { readonly kind: "key"; readonly variable: string; readonly as: string; readonly value: string }
  | ({ readonly kind: "signed_in" } & SignIn)
  /** For models of your own that ask for none. */
  | { readonly kind: "none" };

export interface Wallet {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variable named by --provider-config-env. */
  readonly configEnv: string | null;
  readonly model: string | null;
  readonly now: number;
}

/** The named variable, the client's own variables, then what the client keeps of the user's sign-in. Nothing else is looked at. */
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
    // Not signed in is the ordinary case, asked for every invocation: no error need be made for it.
    return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path, "utf8");
  } catch {
    // A state that cannot be read is of no use either.
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
