puts 'installed'
