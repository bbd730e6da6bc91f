import type { Scaffold } from "@slipway/protocols/criticality/lattice/scaffold";
import type { WitnessDefinition } from "@slipway/languages/witnesses/definition";
import { CATEGORY, COLLECTIONS, SKU } from "./domain-sources.ts";
import { ORDERS, RESERVATIONS, STOCK, WAREHOUSE } from "./service-sources.ts";

const number = { generic: false, type_params: [], inner_type: "number" };

export const WITNESSES: WitnessDefinition[] = [
  {
    name: "Sku",
    description: "An article number such as ABC-1234.",
    base: { generic: false, type_params: [], inner_type: "string" },
    invariants: [
      {
        id: "form",
        description: "Three capital letters, a hyphen, four digits",
        formal: "/^[A-Z]{3}-[0-9]{4}$/.test(value)",
        testable: true,
      },
    ],
    constructors: [{ name: "sku", trust_level: "safe" }],
  },
  {
    name: "Count",
    description: "A whole number that is zero or more.",
    base: number,
    invariants: [
      { id: "count", description: "Whole and not below zero", formal: "Number.isSafeInteger(value) && value >= 0", testable: true },
    ],
    constructors: [{ name: "count", trust_level: "safe" }],
  },
  {
    name: "PositiveCount",
    description: "A whole number above zero.",
    base: number,
    invariants: [
      { id: "positive", description: "Whole and above zero", formal: "Number.isSafeInteger(value) && value > 0", testable: true },
    ],
    constructors: [{ name: "positiveCount", trust_level: "safe" }],
  },
];

export const SKELETON: Scaffold = {
  files: [
    { path: "src/domain/sku.ts", feature: "articles", text: SKU },
    { path: "src/domain/category.ts", feature: "articles", text: CATEGORY },
    { path: "src/domain/collections.ts", feature: null, text: COLLECTIONS },
    { path: "src/domain/warehouse.ts", feature: "warehouses", text: WAREHOUSE },
    { path: "src/services/stock.ts", feature: "stock", text: STOCK },
    { path: "src/services/reservations.ts", feature: "reservations", text: RESERVATIONS },
    { path: "src/services/orders.ts", feature: "orders", text: ORDERS },
  ],
  calls: [
    { function: "src/domain/category.ts#treeSize", calls: ["src/domain/category.ts#forestSize"] },
    { function: "src/domain/category.ts#forestSize", calls: ["src/domain/category.ts#treeSize"] },
    { function: "src/domain/category.ts#pathTo", calls: ["src/domain/category.ts#findCategory"] },
    { function: "src/services/orders.ts#orderTotal", calls: ["src/domain/collections.ts#sumBy"] },
    {
      function: "src/services/orders.ts#missingArticles",
      calls: ["src/services/orders.ts#wantedQuantities", "src/services/stock.ts#Stock.quantityOf"],
    },
    {
      function: "src/services/orders.ts#placeOrder",
      calls: [
        "src/services/orders.ts#missingArticles",
        "src/services/orders.ts#refusalText",
        "src/services/orders.ts#orderTotal",
        "src/services/orders.ts#wantedQuantities",
        "src/services/stock.ts#Stock.ship",
        "src/services/stock.ts#Stock.receive",
      ],
    },
  ],
};
