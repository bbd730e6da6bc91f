const SECRET_WORDS = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATE|(^|_)(KEY|KEYS|PAT|PASS|AUTH|COOKIE|DSN)(_|$)|[a-z]Key$/i;
/** These say where a secret is, not what it is. */
const PLACES = /(_SOCK|_FILE|_PATH|_DIR|_HOME)$/i;
const SHORTEST_SECRET = 8;

/** The values of variables whose name says that they are secret. Shorter ones would also hide ordinary words. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env)
    .filter(([name]) => SECRET_WORDS.test(name) && !PLACES.test(name))
    .map(([, value]) => value?.trim() ?? "");
  return [...new Set(values)].filter((value) => value.length >= SHORTEST_SECRET);
}
