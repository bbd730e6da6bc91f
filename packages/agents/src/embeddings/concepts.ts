import { stem } from "./words.ts";

/**
 * Groups of software words with similar meaning, one per line. A word may be in several groups. A change here changes every embedding:
 * raise the version in the id of the built-in model.
 */
const GROUPS = `
get fetch retrieve read load lookup obtain query find
write save store persist put record keep
create make build generate produce construct new add insert
delete remove erase purge drop discard clear
update modify change edit patch alter replace
parse decode interpret deserialize tokenize lex scan read
serialize encode stringify marshal dump
format render print display present show pretty template
validate check verify ensure assert sanitize lint
convert transform translate map cast turn
sort order rank arrange
filter select choose pick match
search find lookup query locate discover
merge combine join concat union unite append
split divide partition chunk separate tokenize break
count tally number total
sum add total aggregate accumulate
average mean median statistics percentile
compute calculate evaluate work derive
compare diff difference delta equal
copy clone duplicate replicate
compress zip gzip deflate shrink pack archive
decompress unzip inflate unpack extract expand
encrypt cipher encipher seal protect
decrypt decipher unseal
hash digest checksum fingerprint sha md5
sign signature attest
random shuffle sample uuid
login signin authenticate authentication auth credential session
authorize permission access role grant policy allow
password secret passphrase credential
token jwt bearer apikey
user account member customer person profile
client customer buyer
email mail message inbox smtp
send deliver dispatch transmit post publish emit notify
receive accept listen subscribe consume
notify notification alert warn remind push
schedule cron timer plan calendar recurring
date day calendar month year
time timestamp clock instant moment datetime
duration interval period elapsed timeout
money price cost amount currency payment
pay payment charge checkout bill purchase
invoice bill receipt statement
tax vat duty levy
discount coupon promotion rebate voucher reduction
cart basket order checkout
stock inventory warehouse supply
ship shipping delivery freight parcel carrier
exchange rate convert currency forex
cache memoize store remember
expire ttl evict stale invalidate
queue fifo buffer backlog enqueue
stack lifo
retry again backoff attempt repeat resilient
limit throttle rate cap quota bound
lock mutex semaphore exclusive
concurrent parallel simultaneous async worker thread pool
batch bulk group chunk
stream pipe flow
event signal hook trigger callback
log logging trace audit journal record
metric measure gauge counter telemetry monitor
error failure exception fault
file path document disk filesystem
folder directory path
image picture photo thumbnail bitmap png jpeg
resize scale shrink crop thumbnail
text string word sentence
letter character char glyph
url uri link address href
http request fetch api rest call
route router path endpoint url
json yaml toml csv xml
csv table spreadsheet row column
table row column grid
database sql table query record
graph node edge vertex network dependency
tree hierarchy nested parent child
cycle circular loop acyclic
topological order dependency sort
path route shortest distance
distance length far geodesic
location place position coordinate latitude longitude geo address
map geography region country
phone telephone mobile number
language locale translate international i18n
spell typo fuzzy similar distance
similar alike near close resemble distance
unique distinct dedupe duplicate
empty blank missing null absent
maximum max largest highest top
minimum min smallest lowest
round truncate floor ceil precision
config configuration setting option preference
environment variable env
version semver release
markdown html document
html markup dom web page
escape sanitize quote encode
command cli shell terminal argument flag
argument parameter option flag
color colour rgb hex hue
size length bytes weight
vector matrix array
probability chance likelihood odds
interest loan mortgage credit annuity
score rating grade points rank
vote poll ballot election
game board move player
temperature celsius fahrenheit degree weather
unit measure convert metric imperial
page paginate cursor offset
slug identifier key id name
mask redact hide anonymize conceal censor
report summary overview digest
chart graph plot diagram
tag label category classify
comment remark note annotation
friend follower contact relation
book booking reserve reservation appointment
subscribe subscription plan membership
fold reduce aggregate
reverse invert backwards
flatten unnest nested
debounce throttle delay wait
sleep wait delay pause
open close
start begin launch run execute
stop end terminate kill cancel abort
undo revert rollback restore
backup snapshot copy archive
upload import ingest
download export
permission scope capability
captcha bot spam abuse
otp totp code factor verification
dijkstra astar bellman shortest path cheapest route graph
levenshtein hamming jaro edit distance similar insertion substitution
haversine geodesic distance coordinate earth latitude longitude
kahn topological order dependency graph
bcrypt scrypt argon2 pbkdf2 password salt hash
aes rsa ed25519 encrypt key cipher
hmac signature sign verify
lru lfu cache evict recent
bloom trie heap btree structure
regex pattern match expression
base64 hex encode binary
utf8 unicode charset encoding
cron crontab schedule recurring expression
p50 p90 p95 p99 latency percentile median quantile
rolling sliding window moving smooth
unpaid overdue late due outstanding owed arrears dunning
letter reminder notice
dollar euro pound yen currency money
mortgage loan annuity amortization repayment debt instalment
weekday workday business working weekend holiday
deadline due until expire end
basket cart bag
heading title headline caption name
permalink slug url
override overlay layer default precedence
placeholder interpolate substitute variable template fill
typo misspell mistype spelling suggest
twice duplicate dedupe unique distinct repeated
again retry repeat attempt
fail failure error break crash
first fifo order queue arrival
background worker job task queue
tamper immutable append unchangeable permanent
who actor user person
newer later older earlier version compare
change added removed difference modify
web html browser page
md markdown
two factor mfa totp otp authenticator
different difference compare distance unlike
`;

const conceptsByStem = new Map<string, string[]>();
for (const [index, line] of GROUPS.trim().split("\n").entries())
  for (const word of line.split(" ")) {
    const root = stem(word);
    const known = conceptsByStem.get(root) ?? [];
    if (!known.includes(String(index))) conceptsByStem.set(root, [...known, String(index)]);
  }

/** The groups of a word. */
export function conceptsOf(root: string): readonly string[] {
  return conceptsByStem.get(root) ?? [];
}
