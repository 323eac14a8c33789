#include "stiffly/scene/scene_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "stiffly/files/csv.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/scene/specification.hpp"
#include "stiffly/scene/table_file.hpp"
#include "stiffly/scene/toml_value.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr std::uintmax_t largest_scene = 64u << 20;

/// A value for a key of a section, from a size or from the command line.
struct Assignment {
  const Section* section;
  const Key* key;
  std::optional<std::size_t> index;  ///< which one, of a repeated section; all without
  Value value;
  Origin origin;
};

/// Builds up a SceneFile.
class Reader {
 public:
  explicit Reader(const SceneSource& source)
      : text_(source.text), overrides_(source.overrides), file_(source.path.string()) {
    out_.path = source.path;
    out_.sandbox = source.sandbox;
  }

  SceneFile read() {
    const toml::table table = parse_toml(text_, out_.path.string());
    find_kind(table);
    out_.root = Values(root_section(), file_);
    out_.simulation = Values(simulation_section(), file_);
    out_.model = Values(*model_, file_);
    out_.damping = Values(damping_section(), file_);
    out_.contact = Values(contact_section(), file_);
    out_.fluid = Values(fluid_section(), file_);
    out_.plasticity = Values(plasticity_section(), file_);
    for (const auto& [name, node] : table) read_entry(name.str(), node);
    apply_size(table);
    const std::vector<Assignment> assignments = parse_overrides();
    apply(assignments, false);
    read_tables();
    apply(assignments, true);
    if (!out_.simulation.given("duration") && !table.contains("simulation"))
      refuse(file_, "there is no [simulation], which every scene needs");
    return std::move(out_);
  }

 private:
  Origin at(const toml::node& node) const { return file_.at(line_of(node)); }

  /// What [model] may contain depends on its kind, so that is looked for first.
  void find_kind(const toml::table& table) {
    std::string kind = "particles";
    Origin origin = file_;
    if (const toml::node* node = table["model"]["kind"].node()) {
      origin = at(*node);
      const Section& any = model_section(kind);
      kind = std::get<std::string>(read_value(any, any.keys.front(), *node, origin));
    }
    for (const Override& o : overrides_)
      if (o.key == "kind" || o.key == "model.kind") {
        kind = o.value;
        origin = Origin(fmt::format("{} {}={}", o.option, o.key, o.value));
      }
    model_ = &model_section(kind, origin);
  }

  const Section* section_named(std::string_view name) const {
    for (const Section* section : {&simulation_section(), model_, &damping_section(), &contact_section(),
                                   &fluid_section(), &plasticity_section()})
      if (section->name == name) return section;
    for (const RepeatedSection& repeated : repeated_sections())
      if (repeated.section().name == name) return &repeated.section();
    return nullptr;
  }

  [[noreturn]] void unknown_entry(std::string_view name, const Origin& origin, bool is_table) const {
    if (is_table) {
      std::vector<std::string> names = {"simulation", "model",      "damping", "contact",
                                        "fluid",      "plasticity", "sizes"};
      for (const RepeatedSection& repeated : repeated_sections()) names.push_back(repeated.section().name);
      refuse(origin, fmt::format("unknown section [{}]; did you mean [{}]?", shown(name),
                                 nearest(shown(name), names)));
    }
    if (simulation_section().find(name))
      refuse(origin, fmt::format("'{}' belongs in [simulation]: put it below that line", name));
    unknown_key(root_section(), name, origin);
  }

  /// One entry of the top level: a key, a table, or a list of tables.
  void read_entry(std::string_view name, const toml::node& node) {
    if (const Key* key = root_section().find(name)) {
      out_.root.set(*key, read_value(root_section(), *key, node, at(node)), at(node));
      return;
    }
    if (name == "sizes") {
      if (!node.is_table()) refuse(at(node), "[sizes] must hold tables [sizes.NAME.SECTION]");
      return;
    }
    const Section* section = section_named(name);
    if (!section) unknown_entry(name, at(node), node.is_table() || node.is_array_of_tables());
    if (!section->repeated) {
      if (!node.is_table()) refuse(at(node), fmt::format("'{}' must be a table {}", name, section->title()));
      Values& target = single(*section);
      target = Values(*section, at(node));
      read_table(*node.as_table(), target);
      return;
    }
    if (node.is_table())
      refuse(at(node), fmt::format("write {} with two brackets: there can be several", section->title()));
    if (!node.is_array_of_tables())
      refuse(at(node), fmt::format("'{}' must be a list of tables {}", name, section->title()));
    for (const toml::node& element : *node.as_array()) {
      Values values(*section, at(element));
      read_table(*element.as_table(), values);
      values.check_complete();
      list_of(*section).push_back(std::move(values));
    }
  }

  void read_table(const toml::table& table, Values& out) const {
    for (const auto& [name, node] : table) {
      const Key& key = find_key(out.section(), name.str(), at(node));
      out.set(key, read_value(out.section(), key, node, at(node)), at(node));
    }
  }

  std::vector<Values>& list_of(const Section& section) {
    const auto all = repeated_sections();
    return out_.*std::find_if(all.begin(), all.end(), [&](const auto& r) {
                   return &r.section() == &section;
                 })->list;
  }
  /// Of which there is only one.
  Values& single(const Section& section) {
    return &section == &root_section()         ? out_.root
           : &section == model_                ? out_.model
           : &section == &damping_section()    ? out_.damping
           : &section == &contact_section()    ? out_.contact
           : &section == &fluid_section()      ? out_.fluid
           : &section == &plasticity_section() ? out_.plasticity
                                               : out_.simulation;
  }

  /// Checks all sizes, also those not used, and applies the chosen one.
  void apply_size(const toml::table& table) {
    std::string chosen = out_.root.given("size") ? out_.root.text("size") : std::string{};
    Origin origin = out_.root.origin("size");
    for (const Override& o : overrides_)
      if (o.key == "size") {
        chosen =
            std::get<std::string>(parse_value(root_section(), *root_section().find("size"), o.value, file_));
        origin = Origin(fmt::format("{} size={}", o.option, o.value));
      }
    if (const toml::node* sizes = table.get("sizes"))
      for (const auto& [size, parts] : *sizes->as_table()) {
        out_.sizes.emplace_back(size.str());
        if (!parts.is_table())
          refuse(at(parts),
                 fmt::format("[sizes.{}] must hold tables such as [sizes.{}.model]", size.str(), size.str()));
        for (const auto& [name, part] : *parts.as_table())
          read_size(size.str(), name.str(), part, size.str() == chosen);
      }
    if (chosen.empty()) return;
    if (out_.sizes.empty())
      refuse(origin, fmt::format("this scene has one size only, so there is no '{}'", chosen));
    if (std::find(out_.sizes.begin(), out_.sizes.end(), chosen) == out_.sizes.end())
      refuse(origin, fmt::format("there is no size '{}'; this scene comes in: {}", chosen,
                                 fmt::join(out_.sizes, ", ")));
  }

  void read_size(std::string_view size, std::string_view name, const toml::node& part, bool apply_it) {
    const bool known = name == "simulation" || name == "model" || name == "contact";
    if (!known || !part.is_table())
      refuse(at(part), fmt::format("[sizes.{0}] can hold [sizes.{0}.simulation], [sizes.{0}.model] and "
                                   "[sizes.{0}.contact], not '{1}'",
                                   size, name));
    Values& target = name == "model" ? out_.model : name == "contact" ? out_.contact : out_.simulation;
    Values scratch = target;
    Values& out = apply_it ? target : scratch;
    for (const auto& [key_name, node] : *part.as_table()) {
      const Key& key = find_key(out.section(), key_name.str(), at(node));
      if (key.name == "kind") refuse(at(node), "a size cannot change the kind of the model");
      out.set(key, read_value(out.section(), key, node, at(node)), at(node));
    }
  }

  /// "step", "simulation.step", "spring.stiffness", "spring.3.stiffness".
  Assignment parse(const Override& o) const {
    const Origin origin(fmt::format("{} {}={}", o.option, o.key, o.value));
    const std::size_t dot = o.key.find('.');
    if (dot == std::string::npos) {
      const auto [section, key] = resolve(o.key, origin);
      return {section, key, {}, parse_value(*section, *key, o.value, origin), origin};
    }
    const Section* section = section_named(o.key.substr(0, dot));
    if (!section) unknown_entry(o.key.substr(0, dot), origin, true);
    std::string name = o.key.substr(dot + 1);
    std::optional<std::size_t> index;
    if (const std::size_t second = name.find('.'); second != std::string::npos) {
      std::int64_t number = 0;
      if (!section->repeated || !parse_integer(name.substr(0, second), number) || number < 0)
        refuse(
            origin,
            fmt::format(
                "'{}' is not a key; write SECTION.KEY, or particle.NUMBER.KEY for sections that are repeated",
                o.key));
      index = static_cast<std::size_t>(number);
      name.erase(0, second + 1);
    }
    const Key& key = find_key(*section, name, origin);
    return {section, &key, index, parse_value(*section, key, o.value, origin), origin};
  }

  /// A key without its section: the first section of this scene that has it. None has a name in common with
  /// another, but for the CSV files, which mean the same in both places.
  std::pair<const Section*, const Key*> resolve(const std::string& name, const Origin& origin) const {
    const bool lists = model_->kind == "particles";
    std::vector<const Section*> sections = {&root_section(), &simulation_section(), model_};
    if (lists) sections.insert(sections.end(), {&particle_section(), &spring_section()});
    sections.push_back(&damping_section());
    std::vector<std::string> names;
    for (const Section* section : sections) {
      if (const Key* key = section->find(name)) return {section, key};
      for (const Key& key : section->keys) names.push_back(key.name);
    }
    refuse(origin,
           fmt::format("unknown key '{}'; did you mean '{}'?", shown(name), nearest(shown(name), names)));
  }

  std::vector<Assignment> parse_overrides() const {
    std::vector<Assignment> out;
    for (const Override& o : overrides_) out.push_back(parse(o));
    return out;
  }

  /// Those of repeated sections wait until the lists are there.
  void apply(std::span<const Assignment> assignments, bool repeated) {
    for (const Assignment& a : assignments) {
      if (a.section->repeated != repeated) continue;
      if (!repeated) {
        single(*a.section).set(*a.key, a.value, a.origin);
        continue;
      }
      std::vector<Values>& list = list_of(*a.section);
      if (a.index && *a.index >= list.size())
        refuse(a.origin, fmt::format("there is no {} {}; they are numbered 0 … {}", a.section->name, *a.index,
                                     static_cast<long>(list.size()) - 1));
      for (std::size_t i = a.index.value_or(0); i < (a.index ? *a.index + 1 : list.size()); ++i)
        list[i].set(*a.key, a.value, a.origin);
    }
  }

  void read_tables() {
    for (const auto& [key, section] :
         {std::pair{"particles", &particle_section()}, std::pair{"springs", &spring_section()}}) {
      if (out_.root.given(key) && out_.simulation.given(key))
        refuse(out_.simulation.origin(key),
               fmt::format("'{}' is given twice, at the top of the file and in [simulation]", key));
      const Values& holder = out_.root.given(key) ? out_.root : out_.simulation;
      if (!holder.given(key)) continue;
      std::vector<Values>& list = list_of(*section);
      if (!list.empty())
        refuse(holder.origin(key), fmt::format("'{}' and {} define the same things twice; use one of them",
                                               key, section->title()));
      list = read_table_file(out_.files().at(holder.text(key)), *section, holder.origin(key));
    }
  }

  std::string_view text_;
  std::span<const Override> overrides_;
  Origin file_;
  const Section* model_ = nullptr;
  SceneFile out_;
};

}  // namespace

std::span<const RepeatedSection> repeated_sections() {
  static const RepeatedSection all[] = {{particle_section, &SceneFile::particles, true},
                                        {spring_section, &SceneFile::springs, true},
                                        {weighted_spring_section, &SceneFile::weighted_springs, true},
                                        {girder_section, &SceneFile::girders, true},
                                        {rigid_section, &SceneFile::rigid, true},
                                        {fibres_section, &SceneFile::fibres, true},
                                        {field_section, &SceneFile::fields, false},
                                        {motion_section, &SceneFile::motions, false},
                                        {obstacle_section, &SceneFile::obstacles, false},
                                        {motor_section, &SceneFile::motors, false}};
  return all;
}

SceneFile read_scene_file(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_scene_file(scene_source(path, overrides));
}

SceneFile read_scene_file(const SceneSource& source) { return Reader(source).read(); }

SceneSource scene_source(const std::filesystem::path& path, std::span<const Override> overrides) {
  return {path, read_file(path, largest_scene), {overrides.begin(), overrides.end()}, {}};
}

}  // namespace stiffly
