import { createContext, useContext, useId } from "react";
import type { Credential } from "../description.ts";
import type { Language, Reader } from "../samples/languages.ts";

/** What the reader has chosen and entered. Kept in memory only, because it includes secrets. */
interface ReaderState extends Reader {
  language: Language;
  setCredential(credential: Credential, text: string): void;
  setLanguage(language: Language): void;
}

export const ReaderContext = createContext<ReaderState | undefined>(undefined);

export const useReader = (): ReaderState => {
  const reader = useContext(ReaderContext);
  if (!reader) throw new Error("useReader needs a ReaderContext around the component.");
  return reader;
};

const kinds = {
  token: { label: "Your token", placeholder: "itk_…" },
  invitation: { label: "Your invitation", placeholder: "iti_…" },
} as const satisfies Partial<Record<Credential, object>>;

/** A field for a token or an invitation, which the samples and calls then use. */
export const CredentialField = ({ credential }: { credential: keyof typeof kinds }) => {
  const reader = useReader();
  const id = useId();
  const { label, placeholder } = kinds[credential];
  return (
    <div className="token-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={reader[credential]}
        onChange={({ target }) => reader.setCredential(credential, target.value.trim())}
      />
      <p className="hint">
        For the samples and for calls from this page. It stays in this tab until you close or reload it.
      </p>
    </div>
  );
};
