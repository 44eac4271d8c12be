import { useState } from "react";
import type { IssuedToken } from "../../api/token.ts";
import { IssueForm } from "./issue-form.tsx";
import { IssuedDialog } from "./issued-dialog.tsx";
import type { TokenDialogProps } from "./token-dialog.tsx";

/** Issues a token: first its terms, then its text, this once. */
export const IssueDialog = ({ onClose, onChange, onDoubt }: TokenDialogProps) => {
  const [issued, setIssued] = useState<IssuedToken>();
  if (issued) return <IssuedDialog title="The token was issued" issued={issued} onClose={onClose} />;

  const onIssued = (answer: IssuedToken) => {
    setIssued(answer);
    onChange(withoutText(answer));
  };
  return <IssueForm onCancel={onClose} onIssued={onIssued} onDoubt={onDoubt} />;
};

/** The record alone: a token's text is kept nowhere but in the dialog that shows it. */
export const withoutText = ({ token: _, ...record }: IssuedToken) => record;
