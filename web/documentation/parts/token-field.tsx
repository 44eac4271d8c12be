import { useId } from "react";
import { useReader } from "../reader.ts";

/** Where the reader enters a token, which the samples then contain and calls are sent with. */
export const TokenField = () => {
  const { token, setToken } = useReader();
  const id = useId();
  return (
    <div className="token-field">
      <label htmlFor={id}>Your token</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder="itk_…"
        value={token}
        onChange={({ target }) => setToken(target.value.trim())}
      />
      <p className="hint">
        For the samples and for calls from this page. It stays in this tab until you close or reload it.
      </p>
    </div>
  );
};
