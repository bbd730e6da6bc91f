const SECRET_WORDS = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATE|(^|_)(KEY|KEYS|PAT|PASS|AUTH|COOKIE|DSN)(_|$)|[a-z]Key$/i;
/** Variables that name the location of a secret, not its value. */
const PLACES = /(_SOCK|_FILE|_PATH|_DIR|_HOME)$/i;
const SHORTEST_SECRET = 8;

/** The values of variables with a secret-like name. Short values are skipped, because they would also hide ordinary words. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env)
    .filter(([name]) => SECRET_WORDS.test(name) && !PLACES.test(name))
    .map(([, value]) => value?.trim() ?? "");
  return [...new Set(values)].filter((value) => value.length >= SHORTEST_SECRET);
}
