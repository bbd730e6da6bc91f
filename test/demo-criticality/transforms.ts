const said = (subject: string, pattern: string, text: string) => ({
  role: "worker",
  subject,
  attempt: `${pattern}.1.1`,
  output: { outcome: "transformed", function: text, declarations: [] },
});

const FEE = `export function feeFor(amount: PositiveAmount): NonNegativeAmount {
  const freeBelow = 10000;
  const amountPerCent = 1000;
  return nonNegativeAmount(amount < freeBelow ? 0 : Math.floor(amount / amountPerCent));
}`;

const REPLACE = `export function replaceAccount(bank: Bank, account: Account): Bank {
  return { accounts: bank.accounts.map((one) => (one.id === account.id ? account : one)) };
}`;

/** Shorter, and wrong for a bank with several accounts: its tests refuse it. */
const WRONG_TOTAL = `export function totalBalance(bank: Bank): number {
  return bank.accounts.map((account) => account.balance).at(0) ?? 0;
}`;

const FLAT_TRANSFER = `export function transfer(bank: Bank, from: AccountId, to: AccountId, amount: PositiveAmount): TransferResult {
  const reason = checkTransfer(bank, from, to, amount);
  if (reason !== null) return { ok: false, reason };
  const source = findAccount(bank, from);
  if (source === null) return { ok: false, reason: "unknown_account" };
  const debited = replaceAccount(bank, withdraw(source, amount));
  const target = findAccount(debited, to);
  if (target === null || target.status !== "active") return { ok: false, reason: "unknown_account" };
  return { ok: true, bank: replaceAccount(debited, deposit(target, amount)) };
}`;

/** The answers to patterns of the catalog: three are accepted, one is reverted. */
export const TRANSFORMS = [
  said("domain.money.feeFor", "extract-magic-value", FEE),
  said("services.bank.replaceAccount", "loop-to-map", REPLACE),
  said("services.bank.totalBalance", "loop-to-map", WRONG_TOTAL),
  said("services.transfer.transfer", "early-return", FLAT_TRANSFER),
];
