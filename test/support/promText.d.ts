declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string;
    readonly type: string;
    readonly metrics: readonly {
      readonly labels?: Record<string, string>;
      readonly value?: string;
      readonly buckets?: Record<string, string>;
    }[];
  }
  export default function parse(text: string): Family[];
}
