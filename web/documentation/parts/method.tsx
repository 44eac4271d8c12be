interface MethodProps {
  method: string;
}

export const Method = ({ method }: MethodProps) => <span className={`method ${method.toLowerCase()}`}>{method}</span>;
