/** The trials of each dialog that sends something, by its component. A test of the types ensures that no dialog is left out. */
export const dialogTrialNames = {
  AddKeyDialog: ["key add"],
  DecisionDialog: ["confirm", "reject"],
  DeleteKeyDialog: ["key delete"],
  EditDialog: ["edit"],
  EditTrustDialog: ["edit trust"],
  EndOldDialog: ["end old"],
  EndTrustDialog: ["end trust", "end trust tokens"],
  InviteDialog: ["invite"],
  IssueDialog: ["issue"],
  LeakDialog: ["dismiss", "restore"],
  ReplaceKeyDialog: ["key replace"],
  RevokeDialog: ["revoke", "revoke and invite"],
  RotateDialog: ["rotate"],
  SeveralDialog: ["several revoke", "several expiry"],
  TrustDialog: ["trust"],
} as const;

export type DialogTrialName = (typeof dialogTrialNames)[keyof typeof dialogTrialNames][number];
