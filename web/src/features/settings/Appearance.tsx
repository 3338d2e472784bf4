import { setTheme, type Theme, useTheme } from '@/features/shell/theme'

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function Appearance() {
  const theme = useTheme()
  return (
    <section className="panel stack tight">
      <h2 id="theme">Theme</h2>
      <div>
        <div className="choices" role="radiogroup" aria-labelledby="theme">
          {THEMES.map(([value, label]) => (
            <label key={value}>
              <input type="radio" name="theme" checked={theme === value} onChange={() => setTheme(value)} />
              {label}
            </label>
          ))}
        </div>
      </div>
    </section>
  )
}
