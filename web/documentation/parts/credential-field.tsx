import { useId } from "react";
import type { Credential } from "../description/description.ts";
import { useReader } from "../reader.ts";

const kinds = {
  token: { label: "Your token", placeholder: "itk_…" },
  invitation: { label: "Your invitation", placeholder: "iti_…" },
} as const satisfies Record<Credential, object>;

interface CredentialFieldProps {
  credential: Credential;
}

/** Where the reader enters a token or an invitation, which the samples and calls then use. */
export const CredentialField = ({ credential }: CredentialFieldProps) => {
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
