# The headers that are installed: what it takes to make a system or a scene, forces, integrators and evaluators of
# one's own, to run them, and to compare them. All others are private. tests/architecture checks that these exist,
# that they include only each other, the standard library and Eigen, and that they can be used together.
set(public_headers
  counters disjoint_sets effort error limits stopwatch text threads version warning work_meter

  linalg/backend linalg/block_matrix linalg/conjugate_gradients linalg/decompositions linalg/dense
  linalg/linear_operator linalg/matrix3 linalg/matrix_sqrt linalg/parallel linalg/particle_constraints
  linalg/preconditioner linalg/scalar_matrix linalg/sparse_cholesky linalg/vector

  phi/evaluator phi/registry

  system/elements system/explicit_root system/force system/fput system/linear_oscillator system/mass_matrix
  system/masses system/mixed_force system/motion system/oscillator_jacobian system/particle_system system/partition system/pieces system/plastic_work system/rigid_motion system/second_order_system
  system/spectral_radius system/support_balance system/touch

  forces/air_drag forces/corotational forces/element_assembly forces/element_strains forces/fluid forces/force_field forces/girder_strains
  forces/girders forces/gravity forces/lame forces/motor forces/neo_hookean forces/plastic_spring forces/rayleigh_damping forces/registry
  forces/saint_venant_kirchhoff forces/spring_law forces/springs forces/stokeslets forces/strain6 forces/tetrahedron_force
  forces/tetrahedron_strains forces/weighted_springs forces/wind

  contact/box_tree contact/closed_surface contact/contact_source contact/friction_slip contact/ellipsoid contact/local_contact contact/obstacle
  contact/contact_projection contact/contact_sweeps contact/near_pairs contact/part_sieve contact/projection_law contact/proximity contact/segment_contacts
  contact/stiffness_measure contact/triangle_tree
  contact/obstacle_repulsion contact/one_sided_contacts
  contact/point_triangle contact/repulsion_law contact/solid_shape

  integrators/contraction integrators/dirk integrators/explicit_runge_kutta integrators/exponential_method
  integrators/exponential_tableau integrators/integrator integrators/memory_reader integrators/phi_solver
  integrators/mixed_iteration integrators/registry integrators/resolved_modes integrators/rosenbrock
  integrators/stage
  integrators/stage_matrix integrators/stage_solver

  control/automatic_stepper control/blow_up control/controlled_stepper control/drive_limit control/drive_map control/energy_books control/energy_budget control/methods
  control/motion_scale control/phase_budget control/piecewise_stepper control/sampler control/simulation control/stability_limit control/step_controller
  control/stepper control/stepper_bytes control/trial control/trial_result

  fibres/batch fibres/batch_array fibres/batch_choice fibres/batch_kernel_table fibres/batch_progress
  fibres/batch_simulation fibres/batch_stepper fibres/batch_view fibres/batch_workspace

  mesh/block mesh/fill mesh/mesh mesh/repair mesh/report mesh/tetrahedra

  fibres/fibre fibres/fibre_contact fibres/fibre_obstacles fibres/fibre_stepper fibres/growth fibres/hanging fibres/head fibres/section_chain
  fibres/section_measure fibres/strand
  fibres/strand_files fibres/system_fibres

  plot/axis plot/canvas plot/chart plot/image plot/palette plot/picture plot/render plot/tile_chart

  scene/assets scene/body scene/chain scene/coil scene/drawn_points scene/flag scene/model scene/named_files
  scene/obstacle_surface scene/scene scene/scene_file scene/sheet scene/solid scene/tower scene/value

  results/balance results/checkpoint_file results/contact_time results/error_norms results/error_search results/frame_file results/recorder
  results/run_report results/scene_run results/scene_stepper results/vtu)

set(public_study_headers
  study/amplification study/candidate study/compare study/comparison_text study/convergence
  study/energy_history study/hindsight study/measurement study/named_candidate study/quality_race study/reference
  study/reference_cache study/report study/search study/speedup study/stability study/sweep
  study/winners_map study/winners_text)

list(TRANSFORM public_headers REPLACE "(.+)" "src/stiffly/\\1.hpp")
list(TRANSFORM public_study_headers REPLACE "(.+)" "src/stiffly/\\1.hpp")
