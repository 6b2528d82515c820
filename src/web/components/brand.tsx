export function BrandMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" class="flex-none">
      <rect width="32" height="32" rx="7" fill="#0e5a6b" />
      <path
        d="M5 21h6.5l3-12 4.5 15 2.5-7H27"
        fill="none"
        stroke="#fff"
        stroke-width="2.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="27" cy="17" r="2.4" fill="#ffb02e" />
    </svg>
  );
}

export function Brand() {
  return (
    <span class="flex items-center gap-2.5">
      <BrandMark />
      <span class="text-[1.0625rem] font-semibold tracking-tight">Lineside</span>
    </span>
  );
}
