import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Form from "@cloudscape-design/components/form";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { type ReactNode, useId } from "react";
import type { ApiFailure } from "../api/api-failure.ts";
import { useFocusAfterwards } from "./focus.ts";

interface FormDialogProps {
  title: string;
  submitText: string;
  isBusy: boolean;
  failure: ApiFailure | undefined;
  /** What did not come about. */
  failureTitle: string;
  /** Said instead where the service may have done it all the same. */
  doubt?: string;
  onCancel: () => void;
  onSubmit: () => void;
  children: ReactNode;
}

/** A dialog with a form: Enter sends it, Escape leaves it, and a failure is told inside. */
export const FormDialog = (props: FormDialogProps) => {
  const { title, submitText, isBusy, onCancel, onSubmit, children } = props;
  const formId = useId();
  useFocusAfterwards();
  const send = (event: React.FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const cancel = () => {
    if (!isBusy) onCancel();
  };
  return (
    <Modal
      visible
      header={title}
      onDismiss={cancel}
      footer={
        <div className="dialog-actions">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={cancel} disabled={isBusy}>
              Cancel
            </Button>
            <Button variant="primary" form={formId} loading={isBusy}>
              {submitText}
            </Button>
          </SpaceBetween>
        </div>
      }
    >
      <form id={formId} ref={focusFirstField} onSubmit={send} noValidate>
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

/** After Cloudscape, which sets the focus on the button that closes the dialog. */
const focusFirstField = (form: HTMLFormElement | null): void => {
  const field = form?.querySelector<HTMLElement>("input:checked") ?? form?.querySelector<HTMLElement>("input");
  requestAnimationFrame(() => field?.focus());
};

const Failure = ({ failure, failureTitle, doubt }: FormDialogProps) => {
  // What is wrong with a field is said there.
  if (!failure || Object.keys(failure.fields).length > 0) return null;
  const isInDoubt = doubt !== undefined && failure.isOutcomeUnknown;
  return (
    <Alert type={isInDoubt ? "warning" : "error"} header={isInDoubt ? "The answer was lost" : failureTitle}>
      {failure.message} {isInDoubt && doubt}
    </Alert>
  );
};
