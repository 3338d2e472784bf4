import { setTheme, type Theme, useTheme } from '@/features/shell/theme'
import { say } from '@/kit/say'

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', say('settings.themeSystem')],
  ['light', say('settings.themeLight')],
  ['dark', say('settings.themeDark')],
]

export function Appearance() {
  const theme = useTheme()
  return (
    <section className="panel stack tight">
      <h2 id="theme">{say('settings.theme')}</h2>
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
