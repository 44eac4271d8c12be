/** The product's mark: a square with this many pixels on each side. */
export const BrandMark = ({ size }: { size: number }) => (
  <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
    <rect width="16" height="16" rx="3" fill="#1f5fbf" />
    <path d="M6 4 3 8l3 4M10 4l3 4-3 4" fill="none" stroke="#fff" strokeWidth="1.6" strokeLinecap="round" />
  </svg>
);
