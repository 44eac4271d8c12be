/** The languages of the samples, by the name that code blocks in the guide have. */
export const languages = { sh: "curl", js: "JavaScript", python: "Python", php: "PHP" } as const;

export type Language = keyof typeof languages;

export const languageIds = Object.keys(languages) as Language[];

/** How each language reads the token from the environment, which the samples do until the reader enters one. */
export const tokenVariables: Readonly<Record<Language, string>> = {
  sh: "$TOKEN",
  js: "process.env.TOKEN",
  python: 'os.environ["TOKEN"]',
  php: 'getenv("TOKEN")',
};

/** The address in the guide's samples, which stands for the service's. */
export const exampleAddress = "https://api.example.com";

/** Code with the service's address and, if the reader has entered one, the token. */
export const personalise = (code: string, language: Language, { address, token }: Reader): string => {
  const addressed = code.replaceAll(exampleAddress, address);
  if (!/^\w+$/.test(token)) return addressed;
  return addressed.replaceAll(tokenVariables[language], language === "sh" ? token : `"${token}"`);
};

/** What the samples contain of their reader. */
export interface Reader {
  address: string;
  /** Empty until it is entered. */
  token: string;
}
