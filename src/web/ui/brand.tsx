import { appearance, productName } from "../platform/appearance.ts";

function BrandMark({ size = 28 }: { size?: number }) {
  const { logo } = appearance.value;
  if (logo) return <img src={logo} alt="" class="h-7 max-w-24 flex-none object-contain" />;
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

/** The product's name and, when a user is signed in, the site's. */
export function Brand({ site }: { site?: string | undefined }) {
  return (
    <span class="flex min-w-0 items-center gap-2.5">
      <BrandMark />
      <span class="flex min-w-0 flex-col">
        <span class="text-[1.0625rem] leading-tight font-semibold tracking-tight break-words">
          {productName()}
        </span>
        {site && (
          <span class="truncate text-xs text-soft" title={site}>
            {site}
          </span>
        )}
      </span>
    </span>
  );
}
