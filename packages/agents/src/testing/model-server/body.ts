import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

const DECODERS: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const bytes = Buffer.concat((await request.toArray()) as Buffer[]);
  const decode = DECODERS[request.headers["content-encoding"] ?? ""];
  return decode === undefined ? bytes : decode(bytes);
}

export interface Cut {
  readonly truncate?: number;
  readonly endAfter?: number;
  readonly hangAfter?: number;
}

/** Writes frames as fast as the client reads. Returns whether all were written. */
export async function writeFrames(
  response: ServerResponse,
  frames: Iterable<string>,
  { truncate, endAfter, hangAfter }: Cut,
): Promise<boolean> {
  let room = Math.min(truncate ?? Infinity, endAfter ?? Infinity, hangAfter ?? Infinity);
  for (const frame of frames) {
    const bytes = Buffer.from(frame);
    const fits = bytes.subarray(0, room);
    room -= fits.byteLength;
    if (response.destroyed) return false;
    if (!response.write(fits)) await drained(response);
    if (fits.byteLength < bytes.byteLength) return false;
  }
  return true;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}
