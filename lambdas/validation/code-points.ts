/** How many Unicode code points a text has, which is how JSON Schema counts characters. */
export const codePoints = (value: string): number => {
  if (!/[\ud800-\udbff]/.test(value)) return value.length;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};
