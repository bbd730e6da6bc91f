/** Bodies by function, in the order of the attempts. `by` is the role of the tier at work; the worker by default. */
export interface Attempted {
  readonly by?: "structurer" | "architect";
  readonly body: string;
}

const DEPOSIT = `if (account.status !== "active") throw new RangeError("The account is not active.");
return { ...account, balance: nonNegativeAmount(account.balance + amount) };`;

const WITHDRAW = `if (account.status !== "active") throw new RangeError("The account is not active.");
if (account.balance < amount) throw new RangeError("The balance is too low.");
return { ...account, balance: nonNegativeAmount(account.balance - amount) };`;

/** Finds the target before the source is debited: a transfer to the same account creates money. */
const STALE_TRANSFER = `const reason = checkTransfer(bank, from, to, amount);
if (reason !== null) return { ok: false, reason };
const source = findAccount(bank, from);
const target = findAccount(bank, to);
if (source === null || target === null) return { ok: false, reason: "unknown_account" };
const debited = replaceAccount(bank, withdraw(source, amount));
return { ok: true, bank: replaceAccount(debited, deposit(target, amount)) };`;

/** Right, and deeper than it has to be. */
const NESTED_TRANSFER = `const reason = checkTransfer(bank, from, to, amount);
if (reason === null) {
  const source = findAccount(bank, from);
  if (source !== null) {
    const debited = replaceAccount(bank, withdraw(source, amount));
    const target = findAccount(debited, to);
    if (target !== null) {
      if (target.status === "active") {
        return { ok: true, bank: replaceAccount(debited, deposit(target, amount)) };
      }
    }
  }
  return { ok: false, reason: "unknown_account" };
}
return { ok: false, reason };`;

export const FIRST_BODIES: Readonly<Record<string, readonly Attempted[]>> = {
  "domain.money.addAmounts": [{ body: "return nonNegativeAmount(left + right);" }],
  "domain.money.feeFor": [
    { body: "return nonNegativeAmount(Math.round(amount / 1000));" },
    { body: "return nonNegativeAmount(Math.ceil(amount / 1000));" },
    { body: "return nonNegativeAmount(Math.floor(amount / 100));" },
    { by: "structurer", body: "return nonNegativeAmount(amount < 10000 ? 0 : Math.floor(amount / 1000));" },
  ],
  "domain.money.formatAmount": [{ body: 'return `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;' }],
  "domain.money.parseAmount": [
    {
      body: `if (!/^[0-9]{1,9}\\.[0-9]{2}$/.test(text)) return null;
return nonNegativeAmount(Math.round(Number(text) * 100));`,
    },
  ],
  "domain.money.sumAmounts": [
    {
      body: `let sum = nonNegativeAmount(0);
for (const amount of amounts) {
  sum = addAmounts(sum, amount);
}
return sum;`,
    },
  ],
  "domain.account.canWithdraw": [{ body: 'return account.status === "active" && account.balance >= amount;' }],
  "domain.account.deposit": [{ body: DEPOSIT }],
  "domain.account.freeze": [{ body: 'return { ...account, status: "frozen" };' }],
  "domain.account.openAccount": [{ body: 'return { id, balance: initial, status: "active" };' }],
  "domain.account.withdraw": [{ body: WITHDRAW }],
  "services.bank.findAccount": [
    {
      body: `for (const account of bank.accounts) {
  if (account.id === id) {
    return account;
  }
}
return null;`,
    },
  ],
  "services.bank.replaceAccount": [
    {
      body: `const accounts: Account[] = [];
for (const one of bank.accounts) {
  accounts.push(one.id === account.id ? account : one);
}
return { accounts };`,
    },
  ],
  "services.bank.totalBalance": [
    {
      body: `let total = 0;
for (const account of bank.accounts) {
  total += account.balance;
}
return total;`,
    },
  ],
  "services.transfer.checkTransfer": [
    {
      body: `const source = findAccount(bank, from);
const target = findAccount(bank, to);
if (source === null || target === null) return "unknown_account";
if (source.status !== "active" || target.status !== "active") return "frozen";
return source.balance < amount ? "insufficient_funds" : null;`,
    },
  ],
  "services.transfer.describeFailure": [
    {
      body: `if (failure === "unknown_account") return "There is no such account.";
return failure === "frozen" ? "The account is frozen." : "The balance is too low.";`,
    },
  ],
  "services.transfer.transfer": [{ body: STALE_TRANSFER }],
};

/** After the cluster has violated balance_002: every function that refers to it is written again. */
export const SECOND_BODIES: typeof FIRST_BODIES = { "services.transfer.transfer": [{ body: NESTED_TRANSFER }] };
