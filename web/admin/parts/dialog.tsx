import { Alert, Button, LiveRegion, Modal, type ModalProps } from "@cloudscape-design/components";
import { createContext, type ReactNode, use, useEffect, useId, useMemo, useState } from "react";
import { useApp } from "./app-context.tsx";
import { useCloseWithBack } from "./close-with-back.ts";
import { DangerButton } from "./danger-button.tsx";
import { useFocusAfterwards } from "./focus.ts";
import type { Form as FormState } from "./form.ts";

interface Dialogs {
  /** Opens a dialog, instead of the one that is open. */
  open: (dialog: ReactNode) => void;
  close: () => void;
  isOpen: boolean;
}

const DialogsContext = createContext<Dialogs | undefined>(undefined);

/** Shows the dialog that a component below it opens. The dialog stays if the page that opened it disappears. */
export const DialogsProvider = ({ children }: { children: ReactNode }) => {
  const [dialog, setDialog] = useState<ReactNode>(null);
  const isOpen = dialog !== null;
  const dialogs = useMemo(() => ({ open: setDialog, close: () => setDialog(null), isOpen }), [isOpen]);
  return (
    <DialogsContext value={dialogs}>
      {children}
      {dialog}
    </DialogsContext>
  );
};

/**
 * Returns the functions that open and close dialogs.
 *
 * @example
 * const { open } = useDialogs();
 * <Button onClick={() => open(<RevokeDialog token={token} />)}>Revoke</Button>
 */
export const useDialogs = (): Dialogs => {
  const dialogs = use(DialogsContext);
  if (!dialogs) throw new Error("useDialogs needs a DialogsProvider around the component.");
  return dialogs;
};

/** Returns a function that closes the dialog and reports what was done. */
export const useDone = () => {
  const { close } = useDialogs();
  const { notify } = useApp();
  return (notice: ReactNode): void => {
    close();
    notify(notice);
  };
};

interface DialogProps {
  title: string;
  size?: ModalProps.Size;
  /** Also called on Escape, Back and a click outside. */
  onClose: () => void;
  /** The buttons, with the most important one last. */
  actions: ReactNode;
  children: ReactNode;
}

/** The frame of every dialog. */
export const Dialog = ({ title, size = "medium", onClose, actions, children }: DialogProps) => {
  useCloseWithBack(onClose);
  useFocusAfterwards();
  return (
    <Modal visible size={size} header={title} onDismiss={onClose} footer={<div className="row at-end">{actions}</div>}>
      {children}
    </Modal>
  );
};

interface FormDialogProps {
  title: string;
  submitText: string;
  failureTitle: string;
  /** Shown with a failure if the service may have carried out the request. By default, it says that the request can be repeated. */
  unknownOutcomeText?: string;
  /** Whether the form is destructive. */
  isDangerous?: boolean;
  /** Whether what was entered is quickly entered again, so that it is discarded without a question. */
  isDisposable?: boolean;
  form: FormState;
  children: ReactNode;
}

/**
 * A dialog with a form. Enter submits it. Escape and Back close it unless something was entered or chosen. Failures are shown
 * inside. If the form is invalid, the first invalid field gets the focus.
 */
export const FormDialog = (props: FormDialogProps) => {
  const { close } = useDialogs();
  const { title, submitText, isDangerous = false, isDisposable = false, form, children } = props;
  const { values, submit, isLocked, isRunning, isLockedNow, isRunningNow, failure } = form;
  const formId = useId();
  const [submits, setSubmits] = useState(0);
  const [untouched] = useState(JSON.stringify(values));
  const [isAsking, setAsking] = useState(false);
  const SubmitButton = isDangerous ? DangerButton : Button;
  // The form's own errors appear immediately, the service's errors with the failure.
  useEffect(() => {
    if (submits > 0 || failure) focusInvalidField(formId);
  }, [formId, submits, failure]);

  const onSubmit = (event: React.FormEvent) => {
    event.preventDefault();
    if (isLockedNow()) return;
    setSubmits(submits + 1);
    submit();
  };
  const cancel = () => {
    // Stays open, because the response may be a secret that is shown only once.
    if (!isRunningNow()) close();
  };
  // It is too easy to press Escape or Back, or to click outside, by accident.
  const leave = () => (isDisposable || JSON.stringify(values) === untouched ? cancel() : setAsking(true));
  return (
    <Dialog
      title={title}
      onClose={leave}
      actions={
        <>
          <Button variant="link" onClick={cancel} disabled={isRunning}>
            Cancel
          </Button>
          <SubmitButton variant="primary" form={formId} loading={isLocked}>
            {submitText}
          </SubmitButton>
        </>
      }
    >
      <form id={formId} ref={focusFirstField} className="sections" onSubmit={onSubmit} noValidate>
        {children}
        <Failure {...props} />
        {isAsking && <DiscardQuestion onDiscard={cancel} />}
      </form>
    </Dialog>
  );
};

const isRepeatable = "The change may or may not have been made. It is safe to try again.";

const DiscardQuestion = ({ onDiscard }: { onDiscard: () => void }) => (
  <LiveRegion assertive>
    <div ref={(element) => element?.scrollIntoView({ block: "center" })}>
      <Alert
        type="warning"
        header="Discard what you have entered?"
        action={
          <Button formAction="none" onClick={onDiscard}>
            Discard
          </Button>
        }
      >
        It is not saved anywhere.
      </Alert>
    </div>
  </LiveRegion>
);

/** Focuses the first field. Runs after Cloudscape has focused the close button. */
const focusFirstField = (form: HTMLFormElement | null): void => {
  const field = form?.querySelector<HTMLElement>("input:checked") ?? form?.querySelector<HTMLElement>("input");
  requestAnimationFrame(() => field?.focus());
};

const focusInvalidField = (formId: string): void =>
  document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();

const Failure = ({ form: { failure }, failureTitle, unknownOutcomeText = isRepeatable }: FormDialogProps) => {
  // Field errors are shown at the fields.
  if (!failure || Object.keys(failure.fields).length > 0) return null;
  const isUnknown = failure.isOutcomeUnknown;
  return (
    <LiveRegion assertive>
      <Alert type={isUnknown ? "warning" : "error"} header={isUnknown ? "The outcome is unknown" : failureTitle}>
        {failure.message} {isUnknown && unknownOutcomeText}
      </Alert>
    </LiveRegion>
  );
};
