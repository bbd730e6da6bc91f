import type { EntryContent } from "../entry.ts";

/** A module as a line: name | purpose | tags | inputs | outputs | errors | effects. */
const MODULES = `
slugify_title | Turns a title into a URL-safe slug of lower-case letters, digits and hyphens. | text, url | title: string | slug: string | EmptySlug |
parse_iso_date | Parses an ISO 8601 calendar date and rejects days that do not exist. | date, parsing | text: string | date: CalendarDate | InvalidDate |
format_money | Formats an amount in minor units with the symbol and the decimal places of its currency. | money, formatting | amount: integer, currency: string | text: string | UnknownCurrency |
vat_for_order | Computes the value added tax of each order line for the country it is delivered to. | tax, orders | order: Order, country: string | lines: TaxLine[] | UnknownCountry |
apply_coupon | Applies a discount code to a shopping cart and says which lines it lowered. | cart, discounts | cart: Cart, code: string | cart: Cart | CouponExpired, CouponUnknown |
cart_total | Adds up the prices of everything in a cart, shipping included. | cart, money | cart: Cart | total: Money | CurrencyMix |
reserve_stock | Sets aside units of an article in a warehouse until they are paid or given back. | inventory | article: string, units: integer | reservation: Reservation | OutOfStock | WRITE stock
track_parcel | Asks the carrier where a parcel is and maps its answer to our delivery states. | shipping | tracking_number: string | state: DeliveryState | UnknownParcel | CALL carrier
hash_password | Derives a salted hash of a password that is slow to guess. | security, passwords | password: string | hash: string | PasswordTooShort |
verify_password | Checks whether a password belongs to a stored salted hash, in constant time. | security, passwords | password: string, hash: string | matches: boolean | MalformedHash |
issue_session_token | Issues a signed token for a user who has logged in, with an end. | security, sessions | user: UserId | token: string | | 
check_session_token | Verifies the signature and the end of a session token and gives the user it stands for. | security, sessions | token: string | user: UserId | TokenExpired, BadSignature |
role_allows | Decides whether a role may carry out an action on a resource. | access, policy | role: string, action: string, resource: string | allowed: boolean | UnknownRole |
totp_code | Computes the six-digit one-time code of a shared secret for a moment. | security, two-factor | secret: string, at: integer | code: string | BadSecret |
validate_email | Checks that a text is a deliverable e-mail address by its form. | validation, email | text: string | address: EmailAddress | NotAnAddress |
send_mail | Hands a message to the SMTP relay and keeps its delivery id. | email | message: Message | delivery_id: string | RelayRefused | CALL smtp
render_template | Fills the placeholders of a text template with values and refuses missing ones. | text, templates | template: string, values: Record | text: string | MissingValue |
remind_overdue | Picks the invoices that are past their due date and drafts a reminder for each. | invoices, reminders | invoices: Invoice[], today: CalendarDate | reminders: Reminder[] | |
number_invoice | Gives the next gapless invoice number of a year. | invoices | year: integer | number: string | | WRITE counters
csv_rows | Reads comma-separated text with quoted fields into rows. | parsing, csv | text: string | rows: string[][] | UnclosedQuote |
write_csv | Writes rows as comma-separated text, quoting where needed. | csv | rows: string[][] | text: string | |
flatten_json | Turns nested JSON into one level with dotted keys. | json | value: Json | flat: Record | |
merge_config | Lays configuration layers over each other, the later one winning, and says where each value came from. | configuration | layers: Json[] | merged: Json | TypeClash |
read_env | Reads settings from environment variables and names all that are missing at once. | configuration | names: string[] | values: Record | MissingVariable | 
topological_order | Orders the nodes of a dependency graph so that each comes after what it needs. | graphs | edges: Edge[] | order: string[] | CycleFound |
shortest_path | Finds the cheapest way between two nodes of a weighted graph. | graphs, routing | graph: Graph, from: string, to: string | path: string[] | NoPath |
edit_distance | Counts the fewest insertions, deletions and substitutions that turn one word into another. | text, similarity | left: string, right: string | distance: integer | |
suggest_spelling | Proposes the closest known words for a mistyped one. | text, similarity | word: string, known: string[] | suggestions: string[] | |
dedupe_records | Removes records that occur twice by a key, keeping the first. | collections | records: T[], key: string | records: T[] | |
paginate | Cuts a list into pages and gives the cursor of the next one. | collections, paging | items: T[], size: integer, cursor: string | page: Page | BadCursor |
retry_with_backoff | Runs an action again after a failure, waiting longer each time up to a limit. | resilience | action: Action, attempts: integer | result: T | AttemptsUsedUp |
rate_limiter | Lets through at most so many calls per second for each client. | resilience, limits | client: string, at: integer | allowed: boolean | |
lru_cache | Keeps the most recently used values in memory and evicts the oldest beyond a size. | caching | key: string, value: T | value: T | |
job_queue | Hands jobs to workers in the order they came in, each to one worker only. | queues, workers | job: Job | ticket: string | QueueClosed | WRITE jobs
next_cron_run | Computes when a cron expression fires next after a moment. | scheduling | expression: string, after: integer | at: integer | BadExpression |
business_days | Counts working days between two dates, leaving out weekends and public holidays. | date, calendar | from: CalendarDate, to: CalendarDate, holidays: CalendarDate[] | days: integer | |
convert_currency | Converts an amount from one currency to another at the rate of a day. | money, exchange | amount: Money, to: string, day: CalendarDate | amount: Money | NoRate |
loan_schedule | Lays out the monthly repayments of a loan with interest and remaining debt. | finance | principal: Money, rate: number, months: integer | payments: Payment[] | |
geo_distance | Measures the distance in metres between two coordinates on the earth. | geo | from: Coordinate, to: Coordinate | metres: number | OutOfRange |
resize_image | Scales a picture down to fit a box without distorting it. | images | image: Bytes, box: Size | image: Bytes | NotAnImage |
redact_secrets | Replaces credentials and keys in a log line by a placeholder. | security, logging | line: string | line: string | |
audit_trail | Appends who did what and when to a log that cannot be changed afterwards. | logging, compliance | event: AuditEvent | sequence: integer | | WRITE audit
percentiles | Computes the median and other percentiles of measured durations. | statistics | values: number[] | percentiles: Record | NoValues |
moving_average | Smooths a series of numbers by averaging over a sliding window. | statistics | values: number[], window: integer | values: number[] | |
markdown_to_html | Renders Markdown as HTML and leaves out scripts. | text, html | markdown: string | html: string | |
diff_lines | Lists which lines were added or removed between two versions of a text. | text, comparison | before: string, after: string | hunks: Hunk[] | |
semver_compare | Says which of two semantic versions is the later one. | versions | left: string, right: string | order: integer | NotAVersion |
gzip_archive | Packs a folder of files into one compressed archive. | files, compression | folder: Path | archive: Bytes | | 
book_slot | Books an appointment in a calendar unless it overlaps another. | booking, calendar | calendar: Calendar, slot: Slot | booking: Booking | Overlap | WRITE bookings
tally_votes | Counts ballots and names the winner, with ties told apart by rule. | voting | ballots: Ballot[] | result: ElectionResult | |
`;

export const LABELLED: readonly EntryContent[] = MODULES.trim()
  .split("\n")
  .map((line) => {
    const [name = "", purpose = "", ...lists] = line.split("|").map((part) => part.trim());
    const [tags = [], inputs = [], outputs = [], error_surfaces = [], effects = []] = lists.map((list) =>
      list.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()])),
    );
    return {
      module_id: `MM-${name}`,
      version: "1.0.0",
      name,
      purpose,
      tags,
      contract_ref: `MM-${name}/1.0.0/contract.json`,
      examples_ref: `MM-${name}/1.0.0/examples.md`,
      ship_ref: "SHIP-00000001",
      io_summary: { inputs, outputs, error_surfaces, effects, modes: ["sync"] },
      dependencies: [],
    };
  });

type Question = readonly [query: string, name: string];

/** Questions by a reader who has not seen the descriptions, with the wanted module. The built-in model was tuned on these. */
export const QUESTIONS: readonly Question[] = asked(`
make a permalink out of a blog post heading = slugify_title
generate url friendly identifiers from names = slugify_title
read a yyyy-mm-dd string into a date value = parse_iso_date
date string parser with validation = parse_iso_date
show a price with its currency sign = format_money
pretty print euros and dollars = format_money
how much sales tax is due on a purchase = vat_for_order
calculate VAT per order = vat_for_order
redeem a voucher at checkout = apply_coupon
promo code price reduction = apply_coupon
sum of the shopping basket = cart_total
what does the customer have to pay in total for the cart = cart_total
hold inventory for an unpaid purchase = reserve_stock
decrease available stock when something is ordered = reserve_stock
where is my delivery = track_parcel
shipment status from carrier api = track_parcel
store user passwords safely = hash_password
bcrypt style password hashing = hash_password
compare entered password with the saved digest = verify_password
login credential check = verify_password
create a jwt after sign in = issue_session_token
start an authenticated session = issue_session_token
is this bearer token still valid = check_session_token
authenticate a request from its token = check_session_token
permission check for an action = role_allows
role based access control = role_allows
two factor authentication codes like google authenticator = totp_code
generate otp = totp_code
is this a valid mail address = validate_email
email syntax validator = validate_email
deliver an email through smtp = send_mail
notify a customer by mail = send_mail
substitute variables in a message template = render_template
string interpolation engine = render_template
dunning letters for unpaid bills = remind_overdue
find late invoices and notify the customer = remind_overdue
sequential numbering of bills without gaps = number_invoice
generate invoice ids = number_invoice
parse a spreadsheet export = csv_rows
csv reader = csv_rows
export a table as csv = write_csv
serialize rows to comma separated values = write_csv
unnest objects into dot notation keys = flatten_json
flatten a deeply nested object = flatten_json
combine default settings with user overrides = merge_config
layered configuration loading = merge_config
load env vars and fail when absent = read_env
process environment configuration = read_env
sort tasks by their dependencies = topological_order
detect circular dependencies = topological_order
dijkstra = shortest_path
route with the lowest cost through a network = shortest_path
levenshtein = edit_distance
how different are two strings = edit_distance
did you mean feature for typos = suggest_spelling
fuzzy matching of misspelled commands = suggest_spelling
drop duplicates from a list = dedupe_records
unique rows by id = dedupe_records
cursor based paging of results = paginate
split results into pages = paginate
exponential backoff for failing requests = retry_with_backoff
try again when the network call fails = retry_with_backoff
throttle api clients = rate_limiter
limit requests per second = rate_limiter
memoize results in memory with eviction = lru_cache
least recently used store = lru_cache
fifo of background tasks = job_queue
distribute work to workers = job_queue
when does the schedule run next = next_cron_run
cron parser = next_cron_run
number of weekdays until a deadline = business_days
holiday aware date arithmetic = business_days
dollars to euros = convert_currency
foreign exchange conversion = convert_currency
mortgage amortization table = loan_schedule
monthly payments for a credit with interest = loan_schedule
how far apart are two places by latitude and longitude = geo_distance
haversine = geo_distance
create a thumbnail = resize_image
shrink photos = resize_image
mask api keys before logging = redact_secrets
hide passwords in logs = redact_secrets
tamper proof record of user actions = audit_trail
append only event log for compliance = audit_trail
p95 latency = percentiles
median of response times = percentiles
smooth noisy measurements = moving_average
rolling mean over a time series = moving_average
convert md documents to web pages = markdown_to_html
safe html from user written text = markdown_to_html
what changed between two files = diff_lines
compare text line by line = diff_lines
is 1.10.0 newer than 1.9.0 = semver_compare
order release numbers = semver_compare
zip up a directory = gzip_archive
backup folder as compressed file = gzip_archive
reserve a meeting time without double booking = book_slot
appointment scheduling with conflict detection = book_slot
election result from ballots = tally_votes
poll winner = tally_votes
`);

/** Written after the model was finished and never used to tune it: the expected quality on new questions. */
export const HELD_OUT: readonly Question[] = asked(`
clean up a string so it can be part of a web address = slugify_title
turn "2024-02-30" into an error = parse_iso_date
locale aware price display = format_money
which consumption tax applies to a sale abroad = vat_for_order
customer enters a gift code = apply_coupon
grand total of an order before paying = cart_total
block items so nobody else can buy them = reserve_stock
package tracking = track_parcel
protect stored user secrets against brute force = hash_password
does the typed password fit = verify_password
hand out an access token = issue_session_token
reject expired sessions = check_session_token
may this user delete the document = role_allows
second factor for sign in = totp_code
reject malformed email input on a form = validate_email
outgoing mail transport = send_mail
mail merge = render_template
tell debtors that they are late with paying = remind_overdue
consecutive bill numbers for the tax office = number_invoice
import data from excel as text = csv_rows
download report rows as a spreadsheet file = write_csv
collapse nested dictionaries = flatten_json
configuration precedence between files and command line flags = merge_config
twelve factor settings = read_env
build order of packages = topological_order
navigation between two stops with minimal cost = shortest_path
similarity of two words = edit_distance
autocorrect = suggest_spelling
filter out repeated entries = dedupe_records
infinite scrolling api = paginate
resilient call to a flaky service = retry_with_backoff
protect the api against too many requests = rate_limiter
avoid computing the same thing twice = lru_cache
work items processed one after another = job_queue
recurring job timing = next_cron_run
delivery estimate in working days = business_days
price of a product in a foreign currency = convert_currency
how much do I owe after each instalment = loan_schedule
nearest shop to the customer in kilometres = geo_distance
preview picture generation = resize_image
keep tokens out of log files = redact_secrets
history of who changed what = audit_trail
slowest one percent of requests = percentiles
trend line of daily sales = moving_average
display formatted comments in the browser = markdown_to_html
review of edits to a document = diff_lines
is an upgrade available = semver_compare
bundle files for download = gzip_archive
restaurant table reservations = book_slot
who won the survey = tally_votes
`);

function asked(lines: string): Question[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [query = "", name = ""] = line.split(" = ");
      return [query, name];
    });
}
