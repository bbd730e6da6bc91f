import type { Db } from "@slipway/kernel/record/database/tables";
import { vectorMatrix, type VectorMatrix } from "./matrix.ts";
import type { Generation } from "./store.ts";

/** The vectors of the current generation, read once and then updated incrementally. */
export interface Vectors {
  /** Reads until it has `rows` rows, or there are no more. */
  readonly follow: (db: Db, current: Generation, rows: number) => Promise<VectorMatrix>;
}

const PAGE = 5000;

export function openVectors(): Vectors {
  let loaded: { readonly generation: number; readonly matrix: VectorMatrix } | null = null;
  return {
    async follow(db, { generation, dimensions }, rows) {
      if (loaded?.generation !== generation) loaded = { generation, matrix: vectorMatrix(dimensions) };
      const { matrix } = loaded;
      while (matrix.rows() < rows) {
        const page = await db
          .selectFrom("code_index_embeddings")
          .select(["position", "vector"])
          .where("generation", "=", generation)
          .where("position", ">", matrix.rows())
          .orderBy("position")
          .limit(PAGE)
          .execute();
        for (const { position, vector } of page) {
          // A concurrent call may have read the same rows already.
          if (position === matrix.rows() + 1) matrix.add(floats(vector));
        }
        if (page.length === 0) break;
      }
      return matrix;
    },
  };
}

/** SQLite blobs need not be aligned to four bytes. */
function floats(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
