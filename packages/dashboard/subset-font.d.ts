declare module 'subset-font' {
  interface Options {
    readonly targetFormat: 'woff2';
    /** OpenType tags; the others are left out. */
    readonly keepFeatures: readonly string[];
    readonly variationAxes: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
    readonly noHinting: boolean;
  }

  /** @param text the characters to keep */
  export default function subsetFont(font: Buffer, text: string, options: Options): Promise<Buffer>;
}
