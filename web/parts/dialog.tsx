import Modal, { type ModalProps } from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { ReactNode } from "react";
import { useCloseWithBack } from "./close-with-back.ts";
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
        <div className="dialog-actions">
          <SpaceBetween direction="horizontal" size="xs">
            {actions}
          </SpaceBetween>
        </div>
      }
    >
      {children}
    </Modal>
  );
};
