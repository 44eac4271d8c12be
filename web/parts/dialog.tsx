import {
  Alert,
  Box,
  Button,
  Form,
  LiveRegion,
  Modal,
  type ModalProps,
  SpaceBetween,
} from "@cloudscape-design/components";
import { type ReactNode, useEffect, useId, useState } from "react";
import type { Sending } from "./app-context.tsx";
import { useCloseWithBack } from "./close-with-back.ts";
import { DangerButton } from "./danger-button.tsx";
import { useFocusAfterwards } from "./focus.ts";

interface DialogProps {
  title: string;
  size?: ModalProps.Size;
  /** Called on Escape, Back and a click outside, too. */
  onClose: () => void;
  /** The buttons, the most important one last. */
  actions: ReactNode;
  children: ReactNode;
}

/** The frame of every dialog. */
export const Dialog = ({ title, size = "medium", onClose, actions, children }: DialogProps) => {
  useCloseWithBack(onClose);
  useFocusAfterwards();
  return (
    <Modal
      visible
      size={size}
      header={title}
      onDismiss={onClose}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            {actions}
          </SpaceBetween>
        </Box>
      }
    >
      {children}
    </Modal>
  );
};

export interface FormTexts {
  title: string;
  submitText: string;
  failureTitle: string;
  /** Shown with a failure that leaves open whether the service did what it was asked to do. */
  unknownOutcomeText: string;
}

interface FormDialogProps extends FormTexts {
  /** Whether the form destroys something. */
  isDangerous?: boolean;
  /** What the form sends. */
  sending: Pick<Sending<never>, "isLocked" | "isRunning" | "isLockedNow" | "isRunningNow" | "failure">;
  onCancel: () => void;
  onSubmit: () => void;
  children: ReactNode;
}

/**
 * A dialog with a form: Enter submits it, Escape and Back close it, and a failure is shown inside. If the form cannot be submitted as it
 * is, the first invalid field gets the focus.
 */
export const FormDialog = (props: FormDialogProps) => {
  const { title, submitText, isDangerous = false, sending, onCancel, onSubmit, children } = props;
  const { isLocked, isRunning, isLockedNow, isRunningNow, failure } = sending;
  const formId = useId();
  const [submits, setSubmits] = useState(0);
  const SubmitButton = isDangerous ? DangerButton : Button;
  // The form's own objections appear at once, those of the service with the failure.
  useEffect(() => {
    if (submits > 0 || failure) focusInvalidField(formId);
  }, [formId, submits, failure]);

  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (isLockedNow()) return;
    setSubmits(submits + 1);
    onSubmit();
  };
  const cancel = () => {
    // The response may be a secret that is shown only once.
    if (!isRunningNow()) onCancel();
  };
  return (
    <Dialog
      title={title}
      onClose={cancel}
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
      <form id={formId} ref={focusFirstField} onSubmit={submit} noValidate>
        <Form>
          <SpaceBetween size="l">
            {children}
            <Failure {...props} />
          </SpaceBetween>
        </Form>
      </form>
    </Dialog>
  );
};

/** Runs after Cloudscape, which focuses the button that closes the dialog. */
const focusFirstField = (form: HTMLFormElement | null): void => {
  const field = form?.querySelector<HTMLElement>("input:checked") ?? form?.querySelector<HTMLElement>("input");
  requestAnimationFrame(() => field?.focus());
};

const focusInvalidField = (formId: string): void =>
  document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();

const Failure = ({ sending: { failure }, failureTitle, unknownOutcomeText }: FormDialogProps) => {
  // The messages about fields are shown at the fields.
  if (!failure || Object.keys(failure.fields).length > 0) return null;
  const isUnknown = failure.isOutcomeUnknown;
  return (
    <LiveRegion assertive>
      <Alert type={isUnknown ? "warning" : "error"} header={isUnknown ? "The response was lost" : failureTitle}>
        {failure.message} {isUnknown && unknownOutcomeText}
      </Alert>
    </LiveRegion>
  );
};
