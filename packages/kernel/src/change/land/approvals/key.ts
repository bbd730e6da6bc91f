import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, verify, type KeyObject } from "node:crypto";
import { link, mkdir, open, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { hasCode, nodeFileSystem } from "../../../host/files/file-system.ts";
import { whyInside, whyNotOwn, type Unreliable } from "../../../host/files/own-place.ts";

/** Signs a person's approvals. Agents never see it: it is outside the repository and outside every sandbox. */
export interface ApprovalKey {
  /** SHA-256 of the public key. */
  readonly id: string;
  /** PEM, for verifying signatures. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
}

export interface KeyLocation {
  /** XDG_CONFIG_HOME, or ~/.config. */
  readonly configHome: string;
  readonly repositoryRoot: string;
}

/** The person's key, created on first use. */
export function openApprovalKey(location: KeyLocation): Promise<ApprovalKey> {
  return openSigningKey(location, "approval.pem");
}

/** Each kind of signed statement has its own key. */
export async function openSigningKey({ configHome, repositoryRoot }: KeyLocation, name: string): Promise<ApprovalKey> {
  const folder = join(configHome, "slipway", "keys");
  const path = join(folder, name);
  try {
    refuseIf(path, await whyInside(path, repositoryRoot));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    refuseIf(folder, await whyNotOwn(folder, 0o700));
    const pem = await readFile(path, "utf8").catch((error: unknown) => createKey(path, error));
    refuseIf(path, await whyNotOwn(path, 0o600));
    return keyFrom(pem, path);
  } catch (error) {
    if (error instanceof SlipwayError || !(error instanceof Error)) throw error;
    throw refusedKey(path, `${error.message}.`, "Make the folder readable and writable for your user only.");
  }
}

async function createKey(path: string, error: unknown): Promise<string> {
  if (!hasCode(error, "ENOENT")) throw error;
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await open(temporary, "wx", 0o600);
  await file.writeFile(pem);
  await file.sync();
  await file.close();
  try {
    await link(temporary, path);
  } catch (error) {
    // `link` fails where `rename` would replace: two processes that create a key at once both use the first one.
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await unlink(temporary);
  }
  await nodeFileSystem.syncDirectory(dirname(path));
  return readFile(path, "utf8");
}

function keyFrom(pem: string, path: string): ApprovalKey {
  const privateKey = parseKey(pem, path);
  const publicKey = createPublicKey(privateKey);
  return {
    id: createHash("sha256")
      .update(publicKey.export({ type: "spki", format: "der" }))
      .digest("hex"),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    sign: (bytes) => sign(null, bytes, privateKey),
    verify: (bytes, signature) => verify(null, bytes, publicKey, signature),
  };
}

function parseKey(pem: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Reported below without the parser's message, which may quote the key.
  }
  throw refusedKey(
    path,
    "It is not an Ed25519 private key.",
    "Move the file away; the next approval creates a new key. Approvals signed with the old key become invalid.",
  );
}

function refuseIf(path: string, found: Unreliable | null): void {
  if (found !== null) throw refusedKey(path, found.reason, found.next);
}

function refusedKey(path: string, reason: string, next: string): SlipwayError {
  return new SlipwayError("approval_invalid", `The key ${path} cannot be used. ${reason}`, {
    file: path,
    suggested_next_actions: [next],
  });
}
