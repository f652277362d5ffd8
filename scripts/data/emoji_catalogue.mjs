// Which picture of which icon set is which emoji.
//
// The key of an emoji is its code points in hexadecimal, joined by hyphens, without leading zeros
// and without the variation selector fe0f: 1f44b-1f3fb is a waving hand with light skin.
//
// Some icon sets say which code points a picture stands for (chars.json). The others only have
// names, which follow Unicode's names for emoji of the time at which the set was made. Their
// pictures are found by name: a name means the emoji that Unicode calls so today, or that a set
// with code points calls so, an alias included (aliases are mostly former names). A name that would
// mean two emoji is not used.

const kTones = {
  '1f3fb': 'light',
  '1f3fc': 'medium-light',
  '1f3fd': 'medium',
  '1f3fe': 'medium-dark',
  '1f3ff': 'dark'
};

/** The key of the emoji with these code points: '1F44B-FE0F' becomes '1f44b'. */
export function keyOf(codePoints) {
  const parts = codePoints.toLowerCase().split('-').map((part) => part.replace(/^0+/, ''));
  return parts.filter((part) => part !== 'fe0f').join('-');
}

/** The name of an icon for a name of Unicode's: "man’s shoe" becomes mans-shoe. */
export function iconName(label) {
  const plain = label.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f’'“”.]/g, '');
  return plain.replaceAll('&', 'and').replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

function toneOf(key, hasTones) {
  const tones = new Set(key.split('-').filter((part) => part in kTones));
  if (tones.size > 1) return 'mixed';
  if (tones.size === 1) return kTones[[...tones][0]];
  return hasTones ? 'default' : 'none';
}

/** By the gender sign among the code points, or by the words of the name. */
function genderOf(key, label, category) {
  if (category !== 'people-body') return 'none';
  const signs = key.split('-');
  const female = signs.includes('2640') || /\b(woman|women|girl|princess|mrs)\b/i.test(label);
  const male = signs.includes('2642') || /\b(man|men|boy|prince|santa)\b/i.test(label);
  if (female && male) return 'mixed';
  return female ? 'female' : male ? 'male' : 'none';
}

/**
 * All emoji that have a category, by key, in Unicode's order. `entries` and `groups` are
 * emojibase-data's en/data.json and meta/groups.json.
 */
export function readEmoji(entries, groups) {
  const out = new Map();
  for (const parent of entries) {
    if (parent.group === undefined) continue;  // the letters that flags are made of
    const base = keyOf(parent.hexcode);
    for (const entry of [parent, ...(parent.skins ?? [])]) {
      const key = keyOf(entry.hexcode);
      const category = groups.groups[parent.group];
      out.set(key, {
        key,
        base,
        category,
        subcategory: groups.subgroups[parent.subgroup],
        name: entry.label,
        skinTone: toneOf(key, parent.skins !== undefined),
        gender: genderOf(key, entry.label, category)
      });
    }
  }
  return out;
}

/** Whether an alias only renames its parent, without turning or mirroring it. */
function onlyRenames(alias) { return !alias.rotate && !alias.hFlip && !alias.vFlip; }

/**
 * What each icon name means: a map from names to sets of keys. `sets` have {icons, aliases,
 * chars}.
 */
export function meaningsOfNames(emoji, sets) {
  const meanings = new Map();
  const add = (name, key) => {
    if (!meanings.has(name)) meanings.set(name, new Set());
    meanings.get(name).add(key);
  };
  for (const {key, name} of emoji.values()) add(iconName(name), key);
  for (const {aliases, chars} of sets) {
    const keyOfIcon = new Map();
    for (const [codePoints, icon] of Object.entries(chars)) {
      const key = keyOf(codePoints);
      if (!emoji.has(key)) continue;
      keyOfIcon.set(icon, key);
      add(icon, key);
    }
    for (const [name, alias] of Object.entries(aliases)) {
      if (keyOfIcon.has(alias.parent) && onlyRenames(alias)) add(name, keyOfIcon.get(alias.parent));
    }
  }
  return meanings;
}

/** The icon of each emoji that a set has: a map from keys to names in `icons`. */
export function iconsOfEmoji(set, emoji, meanings) {
  const {icons, aliases, chars} = set;
  const out = new Map();
  const add = (key, name) => {
    const icon = Object.hasOwn(icons, name) ? name : aliases[name]?.parent;
    const turned = Object.hasOwn(aliases, name) && !onlyRenames(aliases[name]);
    if (emoji.has(key) && Object.hasOwn(icons, icon) && !turned && !out.has(key))
      out.set(key, icon);
  };
  for (const [codePoints, name] of Object.entries(chars)) add(keyOf(codePoints), name);
  if (out.size > 0) return out;
  const byName = (name) => {
    const keys = meanings.get(name);
    if (keys?.size === 1) add([...keys][0], name);
  };
  Object.keys(icons).forEach(byName);
  // An icon's own name counts more than its aliases: "cricket" is a former name of the game, but
  // means the insect today.
  const named = new Set(out.values());
  Object.keys(aliases).filter((name) => !named.has(aliases[name].parent)).forEach(byName);
  return out;
}

/** The emoji that at least `atLeast` styles have, as {emoji, icons: {style: icon}}. */
export function sharedEmoji(emoji, iconsOfStyle, atLeast) {
  const out = [];
  for (const [key, facts] of emoji) {
    const icons = {};
    for (const [style, found] of iconsOfStyle) {
      if (found.has(key)) icons[style] = found.get(key);
    }
    if (Object.keys(icons).length >= atLeast) out.push({emoji: facts, icons});
  }
  return out;
}
