# Parts of a list of sources that can be compiled as one: a line "part source" for each. In no part do two sources have the
# same name in a namespace without one; -v most: so many sources a part at most.
function note(name) { if (name != "" && !(name in here)) { here[name] = 1; names = names " " name } }
function place(  part, i, n, each, fits) {
  if (file == "") return
  n = split(names, each, " ")
  for (part = 0; ; ++part) {
    fits = size[part] < most
    for (i = 1; fits && i <= n; ++i) fits = !((part, each[i]) in taken)
    if (fits) break
  }
  for (i = 1; i <= n; ++i) taken[part, each[i]] = 1
  ++size[part]
  print part, file
}
FNR == 1 { place(); file = FILENAME; names = ""; split("", here); nameless = 0 }
/^namespace \{$/ { nameless = 1; next }
/^\}  \/\/ namespace$/ { nameless = 0; next }
# Declarations begin lines; what is declared stands before the first of ( = { ; and [, of kernels behind their bounds or on the next line.
bounded { line = $0; sub(/^ +/, "", line); sub(/\(.*/, "", line); note(line); bounded = 0; next }
nameless && /__launch_bounds__\(.*\)$/ { bounded = 1; next }
nameless && /^[A-Za-z_]/ {
  line = $0
  sub(/^.*__launch_bounds__\([^)]*\) */, "", line)
  sub(/^template *<.*> */, "", line)
  if (line ~ /^(struct|class|enum|using|union)/) {
    sub(/^(struct|class|enum class|enum|using|union) */, "", line)
    match(line, /^[A-Za-z_0-9]+/)
    note(substr(line, 1, RLENGTH))
    next
  }
  sub(/[(={;[].*/, "", line)
  if (match(line, /[A-Za-z_0-9]+ *$/)) { name = substr(line, RSTART, RLENGTH); sub(/ +$/, "", name); note(name) }
}
END { place() }
