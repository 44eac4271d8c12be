/** Returns a store's name in words, such as "Open orders" for `openOrders`. */
export const titleOf = (store: string): string => {
  const words = store.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
