import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Form from "@cloudscape-design/components/form";
import LiveRegion from "@cloudscape-design/components/live-region";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ApiFailure } from "../api/api-failure.ts";
import { useCloseWithBack } from "./close-with-back.ts";
import { useFocusAfterwards } from "./focus.ts";

interface FormDialogProps {
  title: string;
  submitText: string;
  isPending: boolean;
  failure: ApiFailure | null;
  failureTitle: string;
  /** Shown with a failure that leaves open whether the service did what it was asked to do. */
  unknownOutcomeText: string;
  onCancel: () => void;
  /** Called again only after a failure, or if the previous call sent nothing. */
  onSubmit: () => void;
  children: ReactNode;
}

/**
 * A dialog with a form: Enter submits it, Escape and Back close it, and a failure is shown inside. If the form cannot be submitted as it
 * is, the first invalid field gets the focus.
 */
export const FormDialog = (props: FormDialogProps) => {
  const { title, submitText, isPending, failure, onCancel, onSubmit, children } = props;
  const formId = useId();
  const [submits, setSubmits] = useState(0);
  const queryClient = useQueryClient();
  // Set at once, unlike `isPending`, which a second click can precede. Only a failure makes it safe to send again.
  const hasSent = useRef(false);
  useEffect(() => {
    if (failure) hasSent.current = false;
  }, [failure]);
  useFocusAfterwards();
  // The form's own objections appear at once, those of the service with the failure.
  useEffect(() => {
    if (submits > 0 || failure) focusInvalidField(formId);
  }, [formId, submits, failure]);

  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (isPending || hasSent.current) return;
    setSubmits(submits + 1);
    const before = queryClient.isMutating();
    onSubmit();
    hasSent.current = queryClient.isMutating() > before;
  };
  const cancel = () => {
    // The request is sent some milliseconds before `isPending` is set, and its answer may be a secret that is shown only once.
    if (!isPending && queryClient.isMutating() === 0) onCancel();
  };
  useCloseWithBack(cancel);
  return (
    <Modal
      visible
      header={title}
      onDismiss={cancel}
      footer={
        <div className="dialog-actions">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={cancel} disabled={isPending}>
              Cancel
            </Button>
            <Button variant="primary" form={formId} loading={isPending}>
              {submitText}
            </Button>
          </SpaceBetween>
        </div>
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
    </Modal>
  );
};

/** Runs after Cloudscape, which focuses the button that closes the dialog. */
const focusFirstField = (form: HTMLFormElement | null): void => {
  const field = form?.querySelector<HTMLElement>("input:checked") ?? form?.querySelector<HTMLElement>("input");
  requestAnimationFrame(() => field?.focus());
};

const focusInvalidField = (formId: string): void =>
  document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();

const Failure = ({ failure, failureTitle, unknownOutcomeText }: FormDialogProps) => {
  // The messages about fields are shown at the fields.
  if (!failure || Object.keys(failure.fields).length > 0) return null;
  const isUnknown = failure.isOutcomeUnknown;
  return (
    <LiveRegion assertive>
      <Alert type={isUnknown ? "warning" : "error"} header={isUnknown ? "The answer was lost" : failureTitle}>
        {failure.message} {isUnknown && unknownOutcomeText}
      </Alert>
    </LiveRegion>
  );
};
