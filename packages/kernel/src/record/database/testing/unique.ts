const SQLITE_UNIQUE: readonly unknown[] = [2067, 1555];
const POSTGRES_UNIQUE = "23505";

/** Whether a write failed because the row exists, on any backend. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("errcode" in error && SQLITE_UNIQUE.includes(error.errcode)) || ("code" in error && error.code === POSTGRES_UNIQUE);
}
