import { cluster, plain, type Structured } from "../cassette.ts";

const SAME_NUMBER: Structured = {
  ...plain,
  id: "sku_001",
  type: "behavioral",
  subject: "formatSku",
  predicate: "parseSku(formatSku(splitSku(code))) === code",
  scope: "all article numbers",
  test: {
    inputs: [{ name: "code", type: "Sku" }],
    operations: [{ call: "parseSku(formatSku(splitSku(code)))" }],
    assert: "result === code",
  },
};

const TREE: Structured = {
  ...plain,
  id: "category_001",
  type: "invariant",
  subject: "treeSize",
  predicate: "treeSize(category) === 1 + forestSize(category.children)",
  scope: "all categories",
  test: {
    inputs: [{ name: "category", type: "Category" }],
    operations: [{ call: "treeSize(category)" }],
    assert: "treeSize(category) === 1 + category.children.map((child) => treeSize(child)).reduce((sum, size) => sum + size, 0)",
  },
};

const NEVER_NEGATIVE: Structured = {
  ...plain,
  id: "stock_001",
  type: "invariant",
  subject: "Stock",
  predicate: "this.quantityOf(sku) >= 0",
  scope: "after any operation",
  test: {
    inputs: [{ name: "code", type: "Sku" }],
    setup: [{ name: "stock", value: "new Stock(new Map([[code, count(10)]]))" }],
    operations: [
      { call: "stock.receive(code, quantity)", inputs: [{ name: "quantity", type: "PositiveCount" }] },
      { call: "stock.ship(code, quantity)", inputs: [{ name: "quantity", type: "PositiveCount" }] },
    ],
    assert: "stock.quantityOf(code) >= 0",
  },
};

const NO_OVERSHIP: Structured = {
  ...plain,
  id: "stock_002",
  type: "negative",
  subject: "Stock.ship",
  predicate: "throws",
  scope: "a quantity above what is there",
  test: {
    inputs: [
      { name: "code", type: "Sku" },
      { name: "there", type: "Count" },
      { name: "wanted", type: "PositiveCount" },
    ],
    setup: [{ name: "stock", value: "new Stock(new Map([[code, there]]))" }],
    operations: [{ call: "stock.ship(code, wanted)", when: "wanted > there" }],
    assert: "stock.quantityOf(code) === there",
  },
};

const EXPIRES: Structured = {
  ...plain,
  id: "reservation_001",
  type: "temporal",
  subject: "Reservations",
  predicate: "not active after 15 minutes",
  scope: "all reservations",
  test: {
    inputs: [
      { name: "code", type: "Sku" },
      { name: "quantity", type: "PositiveCount" },
    ],
    setup: [
      { name: "reservations", value: "new Reservations()" },
      { name: "id", value: "reservations.reserve(code, quantity)" },
    ],
    operations: [{ call: "reservations.reserve(code, quantity)" }, { call: "reservations.release(id + 1)" }],
    assert: "reservations.isActive(id) === now < 900000",
    clock_steps_ms: [1000, 60000, 899000, 900000],
  },
};

const ORDER = {
  inputs: [
    { name: "code", type: "Sku" },
    { name: "there", type: "Count" },
    { name: "price", type: "Count" },
  ],
  setup: [{ name: "stock", value: "new Stock(new Map([[code, there]]))" }],
};

const UNPAID: Structured = {
  ...plain,
  id: "order_001",
  type: "behavioral",
  subject: "placeOrder",
  predicate: "the stock is the same if the payment is refused",
  scope: "orders that are not paid",
  requires_mocking: ["PaymentGateway"],
  test: {
    ...ORDER,
    inputs: [...ORDER.inputs, { name: "wanted", type: "PositiveCount" }],
    setup: [...ORDER.setup, { name: "payment", value: "({ charge: async () => false })" }],
    operations: [{ call: "placeOrder(stock, [{ sku: code, quantity: wanted, unitPrice: price }], payment)" }],
    assert: "stock.quantityOf(code) === there",
  },
};

const AT_ONCE: Structured = {
  ...plain,
  id: "order_002",
  type: "concurrent",
  subject: "placeOrder",
  predicate: "no more is taken than there is",
  scope: "orders at the same time",
  requires_mocking: ["PaymentGateway"],
  test: {
    ...ORDER,
    setup: [...ORDER.setup, { name: "payment", value: "({ charge: () => Promise.resolve(true) })" }],
    operations: [
      {
        call: "placeOrder(stock, [{ sku: code, quantity: wanted, unitPrice: price }], payment)",
        inputs: [{ name: "wanted", type: "PositiveCount" }],
      },
    ],
    assert: "stock.quantityOf(code) >= 0 && stock.quantityOf(code) <= there",
  },
};

/** What helps a customer is no expression, so no template fits. */
const HELPFUL: Structured = {
  ...plain,
  id: "order_003",
  type: "behavioral",
  subject: "refusalText",
  predicate: "the text says what the customer can do",
  scope: "all refusals",
};

export const CLAIMS = [
  ...cluster("sku", [SAME_NUMBER]),
  ...cluster("category", [TREE]),
  ...cluster("stock", [NEVER_NEGATIVE, NO_OVERSHIP]),
  ...cluster("reservations", [EXPIRES]),
  ...cluster("orders", [UNPAID, AT_ONCE, HELPFUL]),
];
