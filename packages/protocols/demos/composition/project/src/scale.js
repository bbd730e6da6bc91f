/** The recipe for another number of servings. */
export function scale(recipe, servings) {
  if (!(servings > 0)) throw new RangeError("servings must be more than 0");
  const factor = servings / recipe.servings;
  return { ...recipe, servings, ingredients: recipe.ingredients.map((one) => ({ ...one, amount: one.amount * factor })) };
}
