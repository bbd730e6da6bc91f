export interface Parcel {
  readonly weightGrams: number;
  readonly express: boolean;
}

const BASE_CENTS = 390;
const CENTS_PER_KILOGRAM = 120;
const EXPRESS_CENTS = 500;

export function priceInCents(parcel: Parcel): number {
  if (!Number.isInteger(parcel.weightGrams) || parcel.weightGrams <= 0) {
    throw new RangeError(`weightGrams must be a positive whole number, got ${parcel.weightGrams}`);
  }
  const kilograms = Math.ceil(parcel.weightGrams / 1000);
  return BASE_CENTS + kilograms * CENTS_PER_KILOGRAM + (parcel.express ? EXPRESS_CENTS : 0);
}
